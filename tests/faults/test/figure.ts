/**
 * Prints the effect of a fault if the environment contains `FAULT_FIGURES`. The tests check only whether it exceeds a
 * limit.
 */
export function figure(label: string, value: unknown): void {
  if (process.env['FAULT_FIGURES'] !== undefined) process.stdout.write(`${label}: ${JSON.stringify(value)}\n`)
}
