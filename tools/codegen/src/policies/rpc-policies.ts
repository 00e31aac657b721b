import type { Json } from '../bundle.ts'
import { methodsOf } from '../openrpc-types.ts'
import { policyExtension } from '../policy-extension.ts'
import { costSchema, policyReader, policyTable } from './read-policy.ts'

const read = policyReader({
  type: 'object',
  properties: { cost: costSchema },
  required: ['cost'],
  additionalProperties: false,
})

/**
 * Generates the policies of all methods of an OpenRPC document whose methods are also operations. Whether a call may be
 * sent again is what `x-idempotent` implies.
 *
 * @param document - bundled, with policies
 * @param contract - type of the table of methods in the contract
 * @param imports - what the generated file imports: the contract, and the type `Policy`
 * @throws Error that names the method, the field and the rule
 */
export function rpcPolicies(document: Json, contract: string, imports: string): string {
  const policies = methodsOf(document).map(({ name, ...method }) => {
    const { cost } = read(name, method[policyExtension]) as { readonly cost: object }
    return [name, { cost, resending: method['x-idempotent'] === false ? 'unseen' : 'always' }] as const
  })
  return `${imports}
/** The policy of every method by name. */
export const policies: Readonly<Record<keyof ${contract}, Policy>> = ${policyTable(Object.fromEntries(policies))}
`
}
