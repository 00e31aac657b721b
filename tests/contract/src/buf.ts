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

/** Compiles the protos of the repository, and what they import, into a file. */
export async function buildProtos(path: string): Promise<FileDescriptorSet> {
  await buf('build', protoFolder, '--as-file-descriptor-set', '--exclude-source-info', '--output', path)
  return fromBinary(FileDescriptorSetSchema, await readFile(path))
}

/** Writes descriptors as a file that buf takes in place of protos. */
export async function writeDescriptors(path: string, file: readonly FileDescriptorProto[]): Promise<void> {
  await writeFile(
    path,
    toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file: [...file] })),
  )
}

/** What breaks for those who speak the older descriptors, on the wire or in JSON; a line each. */
export async function breakingChanges(newer: string, older: string): Promise<string[]> {
  const config = JSON.stringify({ version: 'v2', breaking: { use: ['WIRE_JSON'] } })
  try {
    await buf('breaking', newer, '--against', older, '--config', config)
    return []
  } catch (error) {
    const { code, stdout } = error as { code?: unknown; stdout?: string }
    // buf leaves with 100 when it found something, with another number when it could not look.
    if (code !== 100 || stdout === undefined) throw error
    return stdout.trim().split('\n')
  }
}
