import { fromBinary } from '@bufbuild/protobuf'
import { type FileDescriptorSet, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { filesBelow } from './families.ts'
import { withWholeMaps } from './map-entries.ts'

const resolve = createRequire(import.meta.url).resolve

const tsProtoOptions = [
  // One service definition for all clients and servers, without imports of either.
  'outputServices=generic-definitions',
  'esModuleInterop=true',
  'importSuffix=.ts',
  'forceLong=bigint',
  'oneof=unions-value',
  'enumsAsLiterals=true',
  // An enum may receive values that this version does not know. They remain numbers.
  'unrecognizedEnum=false',
  // Dates do not preserve nanoseconds.
  'useDate=false',
  'useOptionals=none',
  'useExactTypes=false',
  'exportCommonSymbols=false',
  'outputJsonMethods=false',
  'outputIndex=false',
  'annotateFilesWithVersion=false',
]

/**
 * Generates TypeScript for every proto file below a buf module, offline, with the ts-proto plugin.
 *
 * @returns text by file name (relative to the output folder)
 * @throws Error with the output of buf
 */
export async function protobufTypes(moduleFolder: string): Promise<Record<string, string>> {
  return inTemporaryFolder(async (folder) => {
    const out = join(folder, 'out')
    const template = join(folder, 'buf.gen.yaml')
    const plugin = join(dirname(resolve('ts-proto/package.json')), 'protoc-gen-ts_proto')
    const plugins = [
      {
        local: [process.execPath, plugin],
        out,
        strategy: 'all',
        include_imports: true,
        opt: tsProtoOptions,
      },
    ]
    await writeFile(template, JSON.stringify({ version: 'v2', clean: true, plugins }))
    await buf('generate', moduleFolder, '--template', template)
    const files = filesBelow(out).map(
      async (file) => [relative(out, file), withWholeMaps(await readFile(file, 'utf8'))] as const,
    )
    return Object.fromEntries(await Promise.all(files))
  })
}

/**
 * Reads the descriptors of every proto file below a buf module and of their imports.
 *
 * @param options - `comments`: whether the descriptors include the comments of the files; false if omitted
 * @returns each file after its imports
 * @throws Error with the output of buf
 */
export async function protobufDescriptors(
  moduleFolder: string,
  { comments = false }: { readonly comments?: boolean } = {},
): Promise<FileDescriptorSet> {
  return inTemporaryFolder(async (folder) => {
    const image = join(folder, 'descriptors.binpb')
    const content = comments ? [] : ['--exclude-source-info']
    await buf('build', moduleFolder, '--as-file-descriptor-set', ...content, '--output', image)
    return fromBinary(FileDescriptorSetSchema, await readFile(image))
  })
}

async function buf(...args: readonly string[]): Promise<void> {
  const program = join(dirname(resolve('@bufbuild/buf/package.json')), 'bin', 'buf')
  await promisify(execFile)(process.execPath, [program, ...args])
}

async function inTemporaryFolder<result>(action: (folder: string) => Promise<result>): Promise<result> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-proto-'))
  try {
    return await action(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
