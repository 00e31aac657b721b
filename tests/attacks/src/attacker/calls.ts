/** Calls whose account the upstream recognizes: it responds to some at once, and to others after ten seconds. */
export const accounts = { quick: '12', slow: '5e', revert: 'ee' } as const

/** A JSON-RPC call that differs from those with other numbers, so that calls are not coalesced. */
export function ethCall(number: number, account: keyof typeof accounts = 'quick', padding = 0): Buffer {
  const data = `0x${number.toString(16).padStart(8, '0')}${'00'.repeat(padding)}`
  return rpcCall('eth_call', [{ to: `0x${accounts[account].repeat(20)}`, data }, 'latest'])
}

/** A JSON-RPC call with id 1. */
export function rpcCall(method: string, params: readonly unknown[]): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
}

/** A batch of equal items. */
export function batchOf(item: string, count: number): Buffer {
  return Buffer.from(`[${`${item},`.repeat(count - 1)}${item}]`)
}

/** A message in the framing of gRPC. */
export function grpcMessage(payload: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(payload.length, 1)
  return Buffer.concat([head, payload])
}

/** A credential that does not exist. */
export function unknownToken(number: number): string {
  return number.toString(36).padStart(40, '0')
}
