import type { Json } from '../bundle.ts'
import { evmPolicies } from './evm-policies.ts'
import { restPolicies } from './rest-policies.ts'
import { rpcPolicies } from './rpc-policies.ts'

/**
 * Generates the policies that the gateway reads, for a document that has them.
 *
 * @param name - of the document in `specs/families.json`
 * @param document - bundled, with policies
 * @returns text by file name; empty for a document that the gateway does not forward
 * @throws Error that names the method or operation, the field and the rule
 */
export function generatePolicies(name: string, document: Json): Readonly<Record<string, string>> {
  switch (name) {
    case 'evm':
      return { 'method-policies.ts': evmPolicies(document) }
    case 'beacon': {
      const imports = `import type { routes } from '@fairlead/beacon/contract'
import type { BeaconPolicy as Policy } from '../operations/beacon-policy.ts'
`
      return { 'operation-policies.ts': restPolicies(document, 'typeof routes', imports, 'cached') }
    }
    case 'jetton-v2':
    case 'jetton-v3': {
      const family = name.slice('jetton-'.length)
      const contract = `typeof ${family}.routes`
      return {
        'operation-policies.ts': restPolicies(document, contract, jettonImports(family), 'without cache'),
      }
    }
    case 'jetton-v2-rpc':
      return { 'method-policies.ts': rpcPolicies(document, 'typeof v2Rpc.methods', jettonImports('v2Rpc')) }
    default:
      return {}
  }
}

function jettonImports(contract: string): string {
  return `import type { ${contract} } from '@fairlead/jetton/contract'
import type { OperationPolicy as Policy } from '@fairlead/gateway-core/rest/operation-policy'
`
}
