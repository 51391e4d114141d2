/** Tar archives that no honest tool writes, block by block, for tests of the reader. Test code only. */
import { Header } from 'tar';

export interface ForgedMember {
  readonly name: string;
  /** The type byte: `0` file, `1` hard link, `2` link, `3`/`4` devices, `5` folder, `6` pipe, `x`, `g`, `L`, `S`. */
  readonly type?: string;
  readonly body?: string | Uint8Array;
  readonly link?: string;
  /** Size in the header, if it is not the body's. */
  readonly size?: number;
  readonly mode?: number;
  readonly mtime?: Date;
}

const BLOCK = 512;

/** One archive, with its end marker by default. */
export function forgeTar(members: readonly ForgedMember[], { end = true }: { readonly end?: boolean } = {}): Buffer {
  return Buffer.concat([...members.map((member) => forgeMember(member)), Buffer.alloc(end ? 2 * BLOCK : 0)]);
}

/** A PAX header in front of a member: `pax({ path: 'a' })`. */
export function pax(records: Readonly<Record<string, string | Uint8Array>>, type: 'x' | 'g' = 'x'): ForgedMember {
  const body = Object.entries(records).map(([key, value]) => paxRecord(key, Buffer.from(value)));
  return { name: 'PaxHeader/x', type, body: Buffer.concat(body) };
}

function paxRecord(key: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from('\n')]);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function forgeMember(member: ForgedMember): Buffer {
  const body = Buffer.from(member.body ?? '');
  const padding = Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK);
  return Buffer.concat([forgeHeader(member, body.length), body, padding]);
}

function forgeHeader({ name, type = '0', link = '', size, mode = 0o644, mtime }: ForgedMember, length: number): Buffer {
  const header = new Header({ path: 'x', mode, uid: 0, gid: 0, size: size ?? length, mtime: mtime ?? new Date(0) });
  header.encode();
  const block = header.block ?? Buffer.alloc(BLOCK);
  block.fill(0, 0, 100).write(name, 0, 100, 'latin1');
  block.write(type, 156, 1, 'latin1');
  block.write(link, 157, 100, 'latin1');
  return withChecksum(block);
}

/** Rewrites the checksum, so that only the intended part is wrong. */
function withChecksum(block: Buffer): Buffer {
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8, 'latin1');
  return block;
}
