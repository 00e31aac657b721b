import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { addressFields } from './address-fields.ts'
import { bundleWithPolicies } from './bundle.ts'
import { readChains } from './chains.ts'
import { type Family, policyDigest, specDigest, type SpecDocument, specsRoot } from './families.ts'
import { grpcContract, grpcDescriptors } from './grpc-contract.ts'
import { header } from './header.ts'
import { openapiContract } from './openapi-contract.ts'
import { openrpcContract } from './openrpc-contract.ts'
import { openrpcMethods } from './openrpc-methods.ts'
import { derivedOpenApi } from './openrpc-types.ts'
import { generatePolicies } from './policies/generate-policies.ts'
import { grpcPolicies, readGrpcPolicies } from './policies/grpc-policies.ts'
import { withoutPolicies } from './policy-extension.ts'
import { protobufDescriptors, protobufTypes } from './protobuf.ts'
import { typescriptTypes } from './typescript-types.ts'

/** The generated output of one family. */
export interface Generated {
  /** Text by path below `src/generated/`. */
  readonly files: Readonly<Record<string, string>>
  /** Same as `files`, for the private package of the gateway. */
  readonly gatewayFiles: Readonly<Record<string, string>>
  /** The `spec` entry of the family's package.json. */
  readonly spec: { readonly family: string; readonly version: string; readonly sha256: string }
}

/**
 * Generates all files of a family in memory.
 *
 * @throws Error naming the document and the unusable part of it
 */
export async function generateFamily(family: Family): Promise<Generated> {
  const [digest, gatewayDigest] = [specDigest(family), policyDigest(family)]
  const files: Record<string, string> = {}
  const gatewayFiles: Record<string, string> = {}
  let version = '1.0.0'
  for (const document of family.documents) {
    // A single document is at the top level. Several documents each have a folder.
    const folder = family.documents.length > 1 ? `${document.name}/` : ''
    const output = await generateDocument(document).catch((error: Error) => {
      throw new Error(`specs/${document.entry}: ${error.message}`, { cause: error })
    })
    version = output.version ?? version
    for (const [file, { tool, text }] of Object.entries(output.files)) {
      files[folder + file] = header(tool, `specs/${document.entry}`, digest) + text
    }
    for (const [file, text] of Object.entries(output.gatewayFiles ?? {}))
      gatewayFiles[folder + file] = header(codegen, `specs/${document.entry}`, gatewayDigest) + text
  }
  return { files, gatewayFiles, spec: { family: family.name, version, sha256: digest } }
}

interface DocumentOutput {
  readonly files: Readonly<Record<string, { readonly tool: string; readonly text: string }>>
  readonly gatewayFiles?: Readonly<Record<string, string>>
  readonly version?: string
}

const codegen = 'fairlead-codegen'

async function generateDocument({ kind, entry, name }: SpecDocument): Promise<DocumentOutput> {
  const path = join(specsRoot, entry)
  if (kind === 'proto') {
    const tool = toolVersion('ts-proto')
    const files = Object.entries(await protobufTypes(path))
    const descriptors = await protobufDescriptors(path)
    return {
      files: {
        ...Object.fromEntries(files.map(([file, text]) => [file, { tool, text }])),
        'contract.ts': { tool: codegen, text: grpcContract(descriptors) },
        'descriptors.ts': { tool: codegen, text: grpcDescriptors(descriptors) },
      },
      gatewayFiles: { 'method-policies.ts': grpcPolicies(descriptors, readGrpcPolicies(path)) },
    }
  }
  const complete = await bundleWithPolicies(path)
  const document = withoutPolicies(complete)
  const { version } = document['info'] as { version: string }
  const gatewayFiles = generatePolicies(name, complete)
  if (kind === 'openapi') {
    const addresses = addressFields(document)
    const files = {
      'types.ts': { tool: toolVersion('openapi-typescript'), text: await typescriptTypes(document) },
      'contract.ts': { tool: codegen, text: openapiContract(document, name) },
      ...(addresses !== undefined && { 'addresses.ts': { tool: codegen, text: addresses } }),
      'index.ts': { tool: codegen, text: index('types') },
    }
    return { version, files, gatewayFiles }
  }
  const { methods, actions } = await openrpcMethods(document)
  const generator = toolVersion('@open-rpc/generator')
  const files = {
    'schema.ts': {
      tool: toolVersion('openapi-typescript'),
      text: await typescriptTypes(derivedOpenApi(document)),
    },
    'methods.ts': { tool: generator, text: methods },
    ...(actions !== undefined && { 'actions.ts': { tool: generator, text: actions } }),
    'contract.ts': { tool: codegen, text: openrpcContract(document, name, readChains(path)) },
    'index.ts': { tool: codegen, text: `${index('schema')}export * from './methods.ts'\n` },
  }
  return { version, files, gatewayFiles }
}

function index(types: string): string {
  return `export type * from './${types}.ts'\nexport * from './contract.ts'\n`
}

function toolVersion(name: string): string {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  return `${name}@${version}`
}
