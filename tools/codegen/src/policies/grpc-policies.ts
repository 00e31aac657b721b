import type { FileDescriptorSet } from '@bufbuild/protobuf/wkt'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { policyFile } from '../policy-extension.ts'
import { costSchema, policyReader, policyTable } from './read-policy.ts'

/** The policies of all services, by service and method. */
export type GrpcPolicies = Readonly<Record<string, Readonly<Record<string, object>>>>

const read = policyReader({
  type: 'object',
  properties: {
    cost: costSchema,
    resume: {
      description: 'How a stream continues at another upstream. By default, it ends with its upstream.',
      enum: ['geyser'],
    },
  },
  required: ['cost'],
  additionalProperties: false,
})

/** Reads the policies next to proto files. */
export function readGrpcPolicies(folder: string): GrpcPolicies {
  return parse(readFileSync(join(folder, policyFile), 'utf8')) as GrpcPolicies
}

/**
 * Generates the policies of all gRPC methods for the gateway.
 *
 * @param descriptors - all proto files of the family
 * @param policies - the policies by service and method, as in the file next to the proto files
 * @throws Error that names the method, the field and the rule
 */
export function grpcPolicies({ file }: FileDescriptorSet, policies: GrpcPolicies): string {
  const table: Record<string, object> = {}
  for (const proto of file)
    for (const service of proto.service) {
      const name = `${proto.package}.${service.name}`
      for (const { name: method } of service.method) {
        const path = `/${name}/${method}`
        const { cost, resume } = read(path, policies[name]?.[method]) as Record<string, unknown>
        table[path] = { cost, resume }
      }
    }
  for (const [service, methods] of Object.entries(policies))
    for (const method of Object.keys(methods))
      if (!Object.hasOwn(table, `/${service}/${method}`))
        throw new Error(`/${service}/${method}: ${policyFile} must name a method of a service`)
  const sorted = Object.entries(table).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `import type { GrpcPolicy } from '../call/grpc-policy.ts'

/** The policy of every method by path. */
export const policies: Readonly<Record<string, GrpcPolicy>> = ${policyTable(Object.fromEntries(sorted))}
`
}
