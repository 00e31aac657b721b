import type { Results } from './results.ts'
import { run } from './run.ts'

/** Runs a program that calls the gateway, and reads the result of each package. */
export async function callGateway(
  program: string,
  args: readonly string[],
  folder: string,
  folders: readonly string[],
): Promise<Results> {
  const { code, stdout, output } = await run(program, args, { cwd: folder, timeout: 120_000 })
  if (code !== 0) return allOf(folders, `it ended with ${code}: ${output.trim()}`)
  return readReport(stdout.trim().split('\n').at(-1) ?? '', output, folders)
}

/** Reads the report of a program. Without a report, all packages have failed. */
export function readReport(text: string, output: string, folders: readonly string[]): Results {
  try {
    return JSON.parse(text) as Results
  } catch {
    return allOf(folders, output.trim() || 'it printed nothing')
  }
}

function allOf(folders: readonly string[], result: string): Results {
  return Object.fromEntries(folders.map((folder) => [folder, result]))
}
