import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import {
  type FileDescriptorProto,
  type FileDescriptorSet,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt'

const protoFolder = fileURLToPath(new URL('../../../specs/grpc', import.meta.url))
const require = createRequire(import.meta.url)
const program = join(dirname(require.resolve('@bufbuild/buf/package.json')), 'bin', 'buf')

function buf(...options: string[]): Promise<{ stdout: string }> {
  return promisify(execFile)(process.execPath, [program, ...options])
}

/** Compiles the protos of the repository, and their imports, into a file. */
export async function buildProtos(path: string): Promise<FileDescriptorSet> {
  await buf('build', protoFolder, '--as-file-descriptor-set', '--exclude-source-info', '--output', path)
  return fromBinary(FileDescriptorSetSchema, await readFile(path))
}

/** Writes descriptors to a file that buf accepts in place of protos. */
export async function writeDescriptors(path: string, file: readonly FileDescriptorProto[]): Promise<void> {
  await writeFile(
    path,
    toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file: [...file] })),
  )
}

/** Returns the breaking changes for users of the older descriptors, on the wire or in JSON, one line each. */
export async function breakingChanges(newer: string, older: string): Promise<string[]> {
  const config = JSON.stringify({ version: 'v2', breaking: { use: ['WIRE_JSON'] } })
  try {
    await buf('breaking', newer, '--against', older, '--config', config)
    return []
  } catch (error) {
    const { code, stdout } = error as { code?: unknown; stdout?: string }
    // buf exits with 100 for findings, and with another code when the check could not run.
    if (code !== 100 || stdout === undefined) throw error
    return stdout.trim().split('\n')
  }
}
