import { FairleadError, type Method } from '@fairlead/core'
import { methods } from '@fairlead/evm-rpc/contract'
import { formatJson, formatMarkdown, formatTable, publicReport } from './format-report.ts'
import { createHttpCaller } from './http-caller.ts'
import { probeMethods } from './probe-methods.ts'
import { probeTarget } from './probe-target.ts'
import { createWebSocketCaller } from './websocket-caller.ts'

/** What the command line says about a probe. */
export interface ProbeCommand {
  /** Address of the node, http(s) or ws(s); it may hold secrets. */
  readonly url: string
  /** Address of its WebSocket, when that is to be probed too. */
  readonly webSocketUrl?: string | undefined
  readonly format: 'table' | 'json' | 'markdown'
  /** Names of the methods to call; all of them when there are none. */
  readonly methods: readonly string[]
  readonly repeat: number
  readonly concurrency: number
  readonly timeoutMs: number
}

const webSocketSchemes = ['ws', 'wss']

/**
 * Calls every method of the contract at a node, in a way that changes nothing, and writes down which ones answer.
 *
 * @param command - what to probe and how
 * @param progress - hears one short line per step
 * @param signal - ends the probe
 * @returns the report as text
 * @throws FairleadError `CONFIG_INVALID` for an address or a method that cannot be; no address is repeated
 * @throws ProbeFailure when the node cannot be reached or answers nothing but refusals
 */
export async function runProbe(
  command: ProbeCommand,
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const { url, webSocketUrl, timeoutMs, repeat, concurrency } = command
  const isWebSocket = /^wss?:/i.test(url)
  const main = probeTarget(url, isWebSocket ? webSocketSchemes : ['http', 'https'], 'node-url')
  const other =
    webSocketUrl === undefined ? undefined : probeTarget(webSocketUrl, webSocketSchemes, '--websocket')
  const socket = other ?? (isWebSocket ? main : undefined)
  const callers = {
    ...(!isWebSocket && { http: createHttpCaller(main, timeoutMs) }),
    ...(socket && { websocket: createWebSocketCaller(socket, timeoutMs) }),
  }
  try {
    const report = await probeMethods({
      callers,
      methods: chosen(command.methods),
      repeat,
      concurrency,
      signal,
      onProgress: (done, total, method) => progress(`${done}/${total} ${method}`),
    })
    const clean = (text: string) => main.clean(other?.clean(text) ?? text)
    const shown = publicReport(report, main.shown, clean)
    return { table: formatTable, json: formatJson, markdown: formatMarkdown }[command.format](shown)
  } finally {
    await Promise.all(Object.values(callers).map((caller) => caller.close()))
  }
}

function chosen(names: readonly string[]): readonly Method[] {
  const all: readonly Method[] = Object.values(methods)
  if (names.length === 0) return all
  if (!names.every((name) => Object.hasOwn(methods, name))) {
    // It is not repeated: somebody may have put the address in the wrong place.
    throw new FairleadError('CONFIG_INVALID', {
      option: '--method',
      rule: 'must be a method of the interface',
    })
  }
  return all.filter(({ name }) => names.includes(name))
}
