import { execFile, type ExecFileOptions } from 'node:child_process'

/** The result of a finished program. */
export interface ExitResult {
  readonly code: number
  readonly stdout: string
  /** The combined output of stdout and stderr. */
  readonly output: string
}

/** Runs a program to its end, whatever its exit code. */
export function run(
  program: string,
  args: readonly string[],
  { cwd, timeout = 300_000 }: Pick<ExecFileOptions, 'cwd' | 'timeout'> = {},
): Promise<ExitResult> {
  return new Promise((done) => {
    const options = { cwd, timeout, maxBuffer: 64 << 20, encoding: 'utf8' } as const
    const child = execFile(program, [...args], options, (error, stdout, stderr) => {
      const output = stdout + stderr || (error?.message ?? '')
      done({ code: error ? (child.exitCode ?? 1) : 0, stdout, output })
    })
  })
}
