import type { CancellationSignal } from '@fairlead/http1'
import { isRecord } from '@fairlead/gateway-core/json'
import type { JettonNode } from '../upstream/types.ts'
import { type NodeRecord, recordOf } from './upstream-response.ts'

/** Name and symbol of a jetton; empty where they are unknown. */
export interface JettonNames {
  readonly name: string
  readonly symbol: string
}

// Names rarely change, and an indexer that lacks them obtains them within minutes.
const rememberedMs = 60_000
const rememberedMasters = 1000

interface Remembered {
  readonly at: number
  readonly names: JettonNames
}

/** Cached names by node, for masters that the node's metadata lacked. */
const asked = new WeakMap<JettonNode, Map<string, Remembered>>()

/**
 * Returns the names of a jetton from the metadata of a response, otherwise from the content of its master, which is
 * requested at most once a minute. Missing names do not fail a call: they are empty when the upstream cannot return
 * them.
 *
 * @param master - the jetton's master as the upstream writes it
 * @param metadata - token metadata of the response, by address
 */
export async function jettonNames(
  node: JettonNode,
  master: string,
  metadata: NodeRecord,
  signal: CancellationSignal,
): Promise<JettonNames> {
  return namesInMetadata(metadata[master]) ?? (await namesOfMaster(node, master, signal))
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
  node: JettonNode,
  master: string,
  signal: CancellationSignal,
): Promise<JettonNames> {
  const known = asked.get(node) ?? new Map<string, Remembered>()
  asked.set(node, known)
  const { at, names: before } = known.get(master) ?? { at: -Infinity }
  if (before !== undefined && performance.now() - at < rememberedMs) return before
  try {
    const query = { address: [master], limit: 1 }
    const body = recordOf(
      await node.ask({ family: 'v3', method: 'GET', path: '/jetton/masters', query, signal }),
    )
    const rows: readonly unknown[] = Array.isArray(body['jetton_masters']) ? body['jetton_masters'] : []
    const row = rows.find(isRecord)
    const names = namesIn(isRecord(row?.['jetton_content']) ? row['jetton_content'] : {})
    if (known.size >= rememberedMasters) known.clear()
    known.set(master, { at: performance.now(), names })
    return names
  } catch {
    return { name: '', symbol: '' }
  }
}

const namesIn = ({ name, symbol }: NodeRecord): JettonNames => ({
  name: typeof name === 'string' ? name : '',
  symbol: typeof symbol === 'string' ? symbol : '',
})
