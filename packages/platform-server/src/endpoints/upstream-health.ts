import { stateOfClass, type UpstreamState } from '@fairlead/gateway-core/upstream/pool-member'
import { parseUpstreams } from '@fairlead/gateway-core/grants/parse-upstreams'
import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import type { Success } from '../platform-api/platform-call.ts'
import type { UpstreamTexts } from '../records/encrypted-upstreams.ts'
import { fieldsOf, presentUpstreams } from './upstream-fields.ts'

type UpstreamHealth = Success<'listNodeUpstreams'>['results'][number]

/**
 * Returns the upstreams of a node with their known state.
 *
 * @param states - states of those upstreams whose protocols report them
 */
export function upstreamHealth(
  protocols: readonly ProtocolDescription[],
  upstreams: UpstreamTexts,
  states: readonly UpstreamState[],
): readonly UpstreamHealth[] {
  const cordoned = cordonedOf(protocols, upstreams)
  const stateByPosition = new Map(states.map((state) => [`${state.field}/${state.position}`, state]))
  const recordNames = new Map(fieldsOf(protocols).map(({ name, recordName }) => [name, recordName]))
  const positions = new Map<string, number>()
  return presentUpstreams(protocols, upstreams).map(({ protocol, address }) => {
    const position = positions.get(protocol) ?? 0
    positions.set(protocol, position + 1)
    const state = stateByPosition.get(`${recordNames.get(protocol)}/${position}`)
    const isCordoned = cordoned.has(`${protocol} ${position}`)
    if (state === undefined) return { protocol, address, ...unknown, in_use: !isCordoned }
    return {
      protocol,
      address,
      state: stateOfClass[state.class],
      head: state.head ?? null,
      lag: state.lag ?? null,
      latency_ms: state.latencyMs ?? null,
      error_rate: state.calls === 0 ? null : state.errorRate,
      in_use: !isCordoned && state.class !== 'wrong_chain',
    }
  })
}

const unknown = { state: 'unknown', head: null, lag: null, latency_ms: null, error_rate: null } as const

function cordonedOf(
  protocols: readonly ProtocolDescription[],
  upstreams: UpstreamTexts,
): ReadonlySet<string> {
  const states = fieldsOf(protocols).flatMap(({ name, recordName }) =>
    parseUpstreams(upstreams[recordName] ?? '').map(({ isCordoned }, position) => ({
      isCordoned,
      key: `${name} ${position}`,
    })),
  )
  return new Set(states.filter(({ isCordoned }) => isCordoned).map(({ key }) => key))
}
