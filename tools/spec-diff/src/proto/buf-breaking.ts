import { toBinary } from '@bufbuild/protobuf'
import { type FileDescriptorSet, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** A finding of `buf breaking`. */
export interface BufFinding {
  /** The proto file. */
  readonly path: string
  /** The violated rule. */
  readonly type: string
  readonly message: string
}

const program = join(dirname(createRequire(import.meta.url).resolve('@bufbuild/buf/package.json')), 'bin/buf')
const config = { version: 'v2', breaking: { use: ['PACKAGE', 'WIRE_JSON'] } }
const exitCodeFindings = 100

/**
 * Runs `buf breaking` to find incompatibilities with deployed programs, on the wire, in JSON or in generated code.
 *
 * @throws Error with the output of the program
 */
export async function bufBreaking(
  base: FileDescriptorSet,
  head: FileDescriptorSet,
): Promise<readonly BufFinding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-spec-diff-'))
  try {
    await writeFile(join(folder, 'base.binpb'), toBinary(FileDescriptorSetSchema, base))
    await writeFile(join(folder, 'head.binpb'), toBinary(FileDescriptorSetSchema, head))
    const options = ['--error-format', 'json', '--config', JSON.stringify(config)]
    const output = await promisify(execFile)(
      process.execPath,
      [program, 'breaking', 'head.binpb', '--against', 'base.binpb', ...options],
      { cwd: folder, maxBuffer: 64 << 20 },
    ).catch((error: Error & { code?: unknown; stdout?: string }) => {
      if (error.code === exitCodeFindings) return { stdout: error.stdout ?? '' }
      throw error
    })
    return output.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as BufFinding)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
