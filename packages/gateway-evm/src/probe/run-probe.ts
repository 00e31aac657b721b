import { FairleadError, type Method } from '@fairlead/core'
import { methods } from '@fairlead/evm-rpc/contract'
import { formatJson, formatMarkdown, formatTable, publicReport } from './format-report.ts'
import { createHttpCaller } from './http-caller.ts'
import { probeMethods } from './probe-methods.ts'
import { probeTarget } from './probe-target.ts'
import { createWebSocketCaller } from './websocket-caller.ts'

/** Options of the probe command. */
export interface ProbeCommand {
  /** URL of the upstream, http(s) or ws(s). It may contain secrets. */
  readonly url: string
  /** WebSocket URL of the upstream, to probe that too. */
  readonly webSocketUrl?: string | undefined
  readonly format: 'table' | 'json' | 'markdown'
  /** Names of the methods to call. Empty for all methods. */
  readonly methods: readonly string[]
  readonly repeat: number
  readonly concurrency: number
  readonly timeoutMs: number
}

const webSocketSchemes = ['ws', 'wss']

/**
 * Calls every method of the specification on an upstream, in a way that changes nothing, and reports which ones it
 * offers.
 *
 * @param command - options of the probe
 * @param progress - called with one short line per step
 * @param signal - aborts the probe
 * @returns the report as text
 * @throws FairleadError `CONFIG_INVALID` for an invalid URL or method; the message never repeats the URL
 * @throws ProbeFailure when the upstream cannot be reached or rejects every call
 */
export async function runProbe(
  command: ProbeCommand,
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const { url, webSocketUrl, timeoutMs, repeat, concurrency } = command
  const isWebSocket = /^wss?:/i.test(url)
  const main = probeTarget(url, isWebSocket ? webSocketSchemes : ['http', 'https'], 'node-url')
  const wsTarget =
    webSocketUrl === undefined ? undefined : probeTarget(webSocketUrl, webSocketSchemes, '--websocket')
  const socket = wsTarget ?? (isWebSocket ? main : undefined)
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
    const clean = (text: string) => main.clean(wsTarget?.clean(text) ?? text)
    const published = publicReport(report, main.display, clean)
    return { table: formatTable, json: formatJson, markdown: formatMarkdown }[command.format](published)
  } finally {
    await Promise.all(Object.values(callers).map((caller) => caller.close()))
  }
}

function chosen(names: readonly string[]): readonly Method[] {
  const all: readonly Method[] = Object.values(methods)
  if (names.length === 0) return all
  if (!names.every((name) => Object.hasOwn(methods, name))) {
    // The value is not repeated: it may be a URL in the wrong place.
    throw new FairleadError('CONFIG_INVALID', {
      option: '--method',
      rule: 'must be a method of the EVM JSON-RPC specification',
    })
  }
  return all.filter(({ name }) => names.includes(name))
}
