import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import type { Body } from '../platform-api/platform-call.ts'
import type { NewNode } from '../records/nodes.ts'
import type { DeploymentOption } from './deployment-options.ts'
import { nodeChains, type NodeProtocol, nodeProtocolsIn } from './chains.ts'
import { type ValidationErrors, validateUpstreams, type UpstreamInput, textsOf } from './upstream-fields.ts'

/** The fields of a new node, or validation errors. */
export type NodePlan =
  | { readonly plan: Pick<NewNode, 'chain' | 'network' | 'protocols' | 'upstreams' | 'option'> }
  | { readonly errors: ValidationErrors }

type NodeInput = Pick<Body<'createNode'>, 'option' | 'chain' | 'network' | 'protocols' | 'upstreams'>

/** Determines the fields of a new node from the request. */
export function planNode(
  protocols: readonly ProtocolDescription[],
  input: NodeInput,
  options: readonly DeploymentOption[],
): NodePlan {
  if (input.option === undefined) return planCustom(protocols, input, input.chain)
  const option = options.find(({ id }) => id === input.option)
  if (option === undefined) return { errors: { option: ['The deployment option does not exist.'] } }
  return option.upstreams === undefined
    ? planOfChain(protocols, input, option)
    : planConfigured(input, option)
}

/** Returns the protocols of upstreams, or validation errors for a chain. */
export function planUpstreams(
  descriptions: readonly ProtocolDescription[],
  upstreams: UpstreamInput,
  chain: string,
): { readonly protocols: readonly NodeProtocol[] } | { readonly errors: ValidationErrors } {
  const protocols = nodeProtocolsIn(descriptions, Object.keys(textsOf(descriptions, upstreams)))
  const offered: ReadonlySet<string> = new Set(nodeChains(descriptions).get(chain) ?? protocols)
  const unsupported = protocols.filter((protocol) => !offered.has(protocol))
  const errors = {
    ...validateUpstreams(descriptions, upstreams),
    ...Object.fromEntries(
      unsupported.map((protocol) => [`upstreams.${protocol}`, ['Must be omitted for this chain.']]),
    ),
    ...(protocols.length === 0 && { upstreams: ['Must contain the URL of an upstream.'] }),
  }
  return Object.keys(errors).length > 0 ? { errors } : { protocols }
}

function planConfigured(input: NodeInput, option: DeploymentOption): NodePlan {
  const { id, chain, network = '', protocols: offered, upstreams = {} } = option
  const errors = {
    ...(input.upstreams !== undefined && { upstreams: ['Must be omitted with this deployment option.'] }),
    ...(input.chain !== undefined && input.chain !== chain && { chain: [mustMatchOption] }),
    ...(input.network !== undefined && input.network !== network && { network: [mustMatchOption] }),
    ...validateProtocols(input, offered),
  }
  if (Object.keys(errors).length > 0) return { errors }
  return { plan: { chain, network, protocols: input.protocols ?? offered, upstreams, option: id } }
}

function planOfChain(
  protocols: readonly ProtocolDescription[],
  input: NodeInput,
  option: DeploymentOption,
): NodePlan {
  const isMismatch = input.chain !== undefined && input.chain !== option.chain
  return isMismatch ? { errors: { chain: [mustMatchOption] } } : planCustom(protocols, input, option.chain)
}

function planCustom(
  descriptions: readonly ProtocolDescription[],
  input: NodeInput,
  chain: string | undefined,
): NodePlan {
  const { network, upstreams } = input
  if (chain === undefined || network === undefined || upstreams === undefined) {
    return {
      errors: {
        ...(chain === undefined && { chain: [required] }),
        ...(network === undefined && { network: [required] }),
        ...(upstreams === undefined && { upstreams: [required] }),
      },
    }
  }
  const planned = planUpstreams(descriptions, upstreams, chain)
  if ('errors' in planned) return planned
  const errors = validateProtocols(input, planned.protocols)
  if (Object.keys(errors).length > 0) return { errors }
  const protocols = input.protocols ?? planned.protocols
  return {
    plan: { chain, network, protocols: [...new Set(protocols)], upstreams: textsOf(descriptions, upstreams) },
  }
}

const mustMatchOption = 'Must be omitted, or equal the value of the deployment option.'
const required = 'This field is required, because the deployment option does not set it.'

function validateProtocols(
  { protocols = [] }: NodeInput,
  offered: readonly NodeProtocol[],
): ValidationErrors {
  if (protocols.every((protocol) => offered.includes(protocol))) return {}
  return { protocols: ['Must name only what there are upstreams for.'] }
}
