import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import type { Body } from '../platform-api/platform-call.ts'
import type { NewNode } from '../records/nodes.ts'
import type { DeploymentOption } from './deployment-options.ts'
import { nodeChains, type NodeProtocol, nodeProtocolsIn } from './chains.ts'
import { type Complaints, complaintsOfTexts, type GivenUpstreams, textsOf } from './upstream-fields.ts'

/** The fields of a new node, or validation errors. */
export type NodePlan =
  | { readonly plan: Pick<NewNode, 'chain' | 'network' | 'protocols' | 'upstreams' | 'option'> }
  | { readonly complaints: Complaints }

type Asked = Pick<Body<'createNode'>, 'option' | 'chain' | 'network' | 'protocols' | 'upstreams'>

/** Determines the fields of a new node from the request. */
export function planNode(
  protocols: readonly ProtocolDescription[],
  asked: Asked,
  options: readonly DeploymentOption[],
): NodePlan {
  if (asked.option === undefined) return planOwn(protocols, asked, asked.chain)
  const option = options.find(({ id }) => id === asked.option)
  if (option === undefined) return { complaints: { option: ['There is no such deployment option.'] } }
  return option.upstreams === undefined
    ? planOfChain(protocols, asked, option)
    : planConfigured(asked, option)
}

/** Returns the protocols of upstreams, or validation errors for a chain. */
export function planUpstreams(
  descriptions: readonly ProtocolDescription[],
  given: GivenUpstreams,
  chain: string,
): { readonly protocols: readonly NodeProtocol[] } | { readonly complaints: Complaints } {
  const protocols = nodeProtocolsIn(descriptions, Object.keys(textsOf(descriptions, given)))
  const offered: ReadonlySet<string> = new Set(nodeChains(descriptions).get(chain) ?? protocols)
  const others = protocols.filter((protocol) => !offered.has(protocol))
  const complaints = {
    ...complaintsOfTexts(descriptions, given),
    ...Object.fromEntries(
      others.map((protocol) => [`upstreams.${protocol}`, ['Must be left out for this chain.']]),
    ),
    ...(protocols.length === 0 && { upstreams: ['Must hold the address of a node.'] }),
  }
  return Object.keys(complaints).length > 0 ? { complaints } : { protocols }
}

function planConfigured(asked: Asked, option: DeploymentOption): NodePlan {
  const { id, chain, network = '', protocols: offered, upstreams = {} } = option
  const complaints = {
    ...(asked.upstreams !== undefined && { upstreams: ['Must be left out with this option.'] }),
    ...(asked.chain !== undefined && asked.chain !== chain && { chain: [thatOfOption] }),
    ...(asked.network !== undefined && asked.network !== network && { network: [thatOfOption] }),
    ...complaintsOfProtocols(asked, offered),
  }
  if (Object.keys(complaints).length > 0) return { complaints }
  return { plan: { chain, network, protocols: asked.protocols ?? offered, upstreams, option: id } }
}

function planOfChain(
  protocols: readonly ProtocolDescription[],
  asked: Asked,
  option: DeploymentOption,
): NodePlan {
  const isOther = asked.chain !== undefined && asked.chain !== option.chain
  return isOther ? { complaints: { chain: [thatOfOption] } } : planOwn(protocols, asked, option.chain)
}

function planOwn(
  descriptions: readonly ProtocolDescription[],
  asked: Asked,
  chain: string | undefined,
): NodePlan {
  const { network, upstreams } = asked
  if (chain === undefined || network === undefined || upstreams === undefined) {
    return {
      complaints: {
        ...(chain === undefined && { chain: [required] }),
        ...(network === undefined && { network: [required] }),
        ...(upstreams === undefined && { upstreams: [required] }),
      },
    }
  }
  const planned = planUpstreams(descriptions, upstreams, chain)
  if ('complaints' in planned) return planned
  const complaints = complaintsOfProtocols(asked, planned.protocols)
  if (Object.keys(complaints).length > 0) return { complaints }
  const protocols = asked.protocols ?? planned.protocols
  return {
    plan: { chain, network, protocols: [...new Set(protocols)], upstreams: textsOf(descriptions, upstreams) },
  }
}

const thatOfOption = 'Must be that of the option, or be left out.'
const required = 'This field is required, as the option does not say it.'

function complaintsOfProtocols({ protocols = [] }: Asked, offered: readonly NodeProtocol[]): Complaints {
  if (protocols.every((protocol) => offered.includes(protocol))) return {}
  return { protocols: ['Must name only what there are upstreams for.'] }
}
