/** Prints what a fault did, when the environment has `FAULT_FIGURES`; the tests say only whether it was too much. */
export function figure(what: string, value: unknown): void {
  if (process.env['FAULT_FIGURES'] !== undefined) process.stdout.write(`${what}: ${JSON.stringify(value)}\n`)
}
