/** Prints the demo with its times: numbered steps, and the output of kubectl in between. */

const started = performance.now();
let steps = 0;

/** Prints a step, runs it, and prints its duration. */
export async function step<T>(what: string, run: () => Promise<T>): Promise<T> {
  const began = performance.now();
  print(`\n${++steps}. ${what}`);
  const result = await run();
  print(`   done in ${seconds(began)}`);
  return result;
}

/** Prints the end, the total duration, and the next commands to try. */
export function done(outcome: string, next: string): void {
  print(`\n${outcome}, in ${seconds(started)}. ${next}`);
}

/** Shows the output of a command. */
export function show(text: string): void {
  print(text.trimEnd().replaceAll(/^/gm, '   '));
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
