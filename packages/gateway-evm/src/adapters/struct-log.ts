import { isRecord } from '@fairlead/gateway-core/json'

/**
 * Adds the `0x` prefix that older execution clients omit: to words of memory and storage, and to the returned bytes.
 * The text may be a piece of a struct logger trace that was split at a comma.
 *
 * @param text - JSON text
 * @see execution-apis, the struct logs of `debug_trace…`
 */
export function normalizeStructLogText(text: string): string {
  return text
    .replaceAll(/"([0-9a-f]{64})"/g, '"0x$1"')
    .replaceAll(/("returnValue"\s*:\s*")(?!0x)([0-9a-f]*")/g, '$10x$2')
}

/** As {@link normalizeStructLogText}, for a parsed trace. Also removes leading zeros from stack words. */
export function normalizeStructLogs(trace: unknown): unknown {
  if (!isRecord(trace) || !Array.isArray(trace['structLogs'])) return trace
  return {
    ...trace,
    returnValue: hexText(trace['returnValue']),
    structLogs: (trace['structLogs'] as unknown[]).map((step) =>
      isRecord(step)
        ? {
            ...step,
            ...(Array.isArray(step['stack']) && { stack: step['stack'].map(stackWord) }),
            ...(Array.isArray(step['memory']) && { memory: step['memory'].map(hexText) }),
            ...(isRecord(step['storage']) && { storage: storageWords(step['storage']) }),
          }
        : step,
    ),
  }
}

function storageWords(storage: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(storage).map(([slot, value]) => [hexText(slot), hexText(value)]))
}

function hexText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value.startsWith('0x') ? value : `0x${value}`
}

function stackWord(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return `0x${value.replace(/^(?:0x)?0*(?=.)/, '')}`
}
