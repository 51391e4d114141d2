import type { Reporter, TestModule } from 'vitest/node';
import { TemporaryFolder } from './temporary-folder.ts';

/**
 * Vitest reporter that ends a run with the one line that counts: `N passed, N failed, N skipped`. A temporary file that a
 * test has left behind is a failure.
 */
export default class ClosingLine implements Reporter {
  readonly #temporary = new TemporaryFolder();

  /** Before the first worker starts. */
  onInit(): void {
    this.#temporary.enter();
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      const before = count.failed;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        count[state === 'pending' ? 'skipped' : state] += 1;
      }
      if (module.state() === 'failed' && count.failed === before) count.failed += 1;
    }
    for (const name of this.#temporary.remove()) {
      process.stdout.write(`\nA test has left ${name} in the folder for temporary files\n`);
      count.failed += 1;
      process.exitCode = 1;
    }
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`);
  }
}
