/**
 * One folder for the temporary files of a run of the tests, so that a test that leaves some behind is found, and a person
 * who runs the tests for months does not collect them.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class TemporaryFolder {
  readonly path: string;

  /** Makes the folder below the one for temporary files. */
  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'slipway-tests-'));
  }

  /**
   * This process and those that it starts from now on put their temporary files there. Clusters stay outside, as the next
   * run ends those that a crash has left.
   */
  enter(): void {
    process.env['SLIPWAY_CLUSTERS'] ??= tmpdir();
    process.env['TMPDIR'] = this.path;
  }

  /** Removes the folder; returns the names of the files and folders that were left in it. */
  remove(): readonly string[] {
    const left = readdirSync(this.path);
    rmSync(this.path, { recursive: true, force: true });
    return left;
  }
}
