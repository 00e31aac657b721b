import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { filesBelow } from './families.ts'

const resolve = createRequire(import.meta.url).resolve

const tsProtoOptions = [
  'outputServices=grpc-js',
  'esModuleInterop=true',
  'importSuffix=.ts',
  'forceLong=bigint',
  'oneof=unions-value',
  'enumsAsLiterals=true',
  'useDate=false',
  'useOptionals=none',
  'env=node',
  'outputIndex=false',
  'annotateFilesWithVersion=false',
]

/**
 * Generates TypeScript for every proto file below a buf module, offline, through the ts-proto plugin.
 *
 * @returns file name (relative to the output folder) to text
 * @throws Error with what buf printed
 */
export async function protobufTypes(moduleFolder: string): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-proto-'))
  try {
    const out = join(folder, 'out')
    const template = join(folder, 'buf.gen.yaml')
    const plugin = join(dirname(resolve('ts-proto/package.json')), 'protoc-gen-ts_proto')
    await writeFile(
      template,
      JSON.stringify({
        version: 'v2',
        clean: true,
        plugins: [
          {
            local: [process.execPath, plugin],
            out,
            strategy: 'all',
            include_imports: true,
            opt: tsProtoOptions,
          },
        ],
      }),
    )
    const buf = join(dirname(resolve('@bufbuild/buf/package.json')), 'bin', 'buf')
    await promisify(execFile)(process.execPath, [buf, 'generate', moduleFolder, '--template', template])
    const files = filesBelow(out).map(
      async (file) => [relative(out, file), await readFile(file, 'utf8')] as const,
    )
    return Object.fromEntries(await Promise.all(files))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
