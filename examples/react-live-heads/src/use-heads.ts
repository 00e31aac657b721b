import { type BlockEvent, type BlockHeader, type EvmClient, toQuantity, watchBlocks } from '@fairlead/evm-rpc'
import { useEffect, useState } from 'react'

/** A block of the list. */
export interface Head {
  readonly block: BlockHeader
  /** Whether the block was reorganized out. The blocks that replace it are above it. */
  readonly isRemoved: boolean
}

/** The state to render. */
export interface Heads {
  /** Latest first. */
  readonly heads: readonly Head[]
  readonly isConnected: boolean
  /** The error that ended the stream. Undefined while the stream is active. */
  readonly problem: string | undefined
}

const maxBlocks = 20
const initialBlocks = 10

/** Follows the latest blocks while the component is mounted. */
export function useHeads(evm: EvmClient): Heads {
  const [heads, setHeads] = useState<readonly Head[]>([])
  const [isConnected, setConnected] = useState(false)
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    const follow = async () => {
      const latest = Number(await evm.request({ method: 'eth_blockNumber' }, { signal }))
      const from = toQuantity(Math.max(0, latest + 1 - initialBlocks))
      for await (const event of watchBlocks(evm, { from, signal })) setHeads((before) => after(before, event))
    }
    const unlisten = evm.transport.onConnection?.(({ type }) => setConnected(type === 'connect'))
    setHeads([])
    follow().catch((error: unknown) => {
      if (!signal.aborted) setProblem(error instanceof Error ? error.message : String(error))
    })
    return () => {
      stop.abort()
      unlisten?.()
    }
  }, [evm])
  return { heads, isConnected, problem }
}

function after(heads: readonly Head[], event: BlockEvent): readonly Head[] {
  if (event.type === 'block') {
    // A branch that was reorganized out may become canonical again: its blocks are then new once more.
    const others = heads.filter(({ block }) => block.hash !== event.block.hash)
    return [{ block: event.block, isRemoved: false }, ...others].slice(0, maxBlocks)
  }
  const removed = new Set(event.removed.map(({ hash }) => hash))
  return heads.map((head) => (removed.has(head.block.hash) ? { ...head, isRemoved: true } : head))
}
