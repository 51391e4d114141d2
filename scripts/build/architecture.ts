/** The architectures for which images are built, and the name that each has for its libraries. */
export const ARCHITECTURES = ['amd64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

export interface ArchitectureFacts {
  /** Debian's name of the folder with its libraries. */
  readonly libraries: string;
  /** The dynamic linker, where programs ask for it. */
  readonly linker: string;
}

export const FACTS: Readonly<Record<Architecture, ArchitectureFacts>> = {
  amd64: { libraries: 'lib/x86_64-linux-gnu', linker: 'lib64/ld-linux-x86-64.so.2' },
  arm64: { libraries: 'lib/aarch64-linux-gnu', linker: 'lib/ld-linux-aarch64.so.1' },
};

/** That of this machine. */
export function ownArchitecture(): Architecture {
  return process.arch === 'arm64' ? 'arm64' : 'amd64';
}
