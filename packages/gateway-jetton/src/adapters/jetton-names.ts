import { isRecord } from '@fairlead/gateway-core/json'
import type { JettonCall, NodeUpstreams } from '../upstream/types.ts'
import { type JsonRecord, recordOf } from './upstream-response.ts'

/** Name and symbol of a jetton; empty where they are unknown. */
export interface JettonNames {
  readonly name: string
  readonly symbol: string
}

// Names rarely change, and an indexer that lacks them obtains them within minutes.
const cacheTtlMs = 60_000
const maxCachedMasters = 1000

interface CachedNames {
  readonly cachedAt: number
  readonly names: JettonNames
}

/** Cached names by node, for masters that the metadata of a response lacked. */
const namesByUpstreams = new WeakMap<NodeUpstreams, Map<string, CachedNames>>()

/**
 * Returns the names of a jetton from the metadata of a response, otherwise from the content of its master, which is
 * requested at most once a minute. Missing names do not fail a call: they are empty when the upstream cannot return
 * them.
 *
 * @param master - the jetton's master as the upstream writes it
 * @param metadata - token metadata of the response, by address
 */
export async function jettonNames(
  upstreams: NodeUpstreams,
  master: string,
  metadata: JsonRecord,
  call: Pick<JettonCall, 'tenant' | 'signal'>,
): Promise<JettonNames> {
  return namesInMetadata(metadata[master]) ?? (await namesOfMaster(upstreams, master, call))
}

function namesInMetadata(entry: unknown): JettonNames | undefined {
  const tokens = isRecord(entry) && Array.isArray(entry['token_info']) ? entry['token_info'] : []
  const info = tokens
    .filter(isRecord)
    .find(
      ({ type, valid, name, symbol }) =>
        type === 'jetton_masters' && valid !== false && Boolean(name ?? symbol),
    )
  return info && namesIn(info)
}

async function namesOfMaster(
  upstreams: NodeUpstreams,
  master: string,
  { tenant, signal }: Pick<JettonCall, 'tenant' | 'signal'>,
): Promise<JettonNames> {
  const cache = namesByUpstreams.get(upstreams) ?? new Map<string, CachedNames>()
  namesByUpstreams.set(upstreams, cache)
  const { cachedAt, names: cached } = cache.get(master) ?? { cachedAt: -Infinity }
  if (cached !== undefined && performance.now() - cachedAt < cacheTtlMs) return cached
  try {
    const query = { address: [master], limit: 1 }
    const body = recordOf(
      await upstreams.request({
        family: 'v3',
        method: 'GET',
        path: '/jetton/masters',
        query,
        tenant,
        signal,
      }),
    )
    const rows: readonly unknown[] = Array.isArray(body['jetton_masters']) ? body['jetton_masters'] : []
    const row = rows.find(isRecord)
    const names = namesIn(isRecord(row?.['jetton_content']) ? row['jetton_content'] : {})
    if (cache.size >= maxCachedMasters) cache.clear()
    cache.set(master, { cachedAt: performance.now(), names })
    return names
  } catch {
    return { name: '', symbol: '' }
  }
}

const namesIn = ({ name, symbol }: JsonRecord): JettonNames => ({
  name: typeof name === 'string' ? name : '',
  symbol: typeof symbol === 'string' ? symbol : '',
})
