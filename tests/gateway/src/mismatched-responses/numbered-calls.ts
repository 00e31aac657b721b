import type { Draw } from '@fairlead/http1/testing/generated-messages'

/** A call whose params contain a number. Its result depends on the params only, and contains the number. */
export interface NumberedCall {
  readonly number: number
  readonly method: string
  readonly params: readonly unknown[]
  /** Whether the gateway may send the call again. */
  readonly isRepeatable: boolean
}

interface NumberedMethod {
  readonly isRepeatable: boolean
  readonly params: (number: number, words: number) => readonly unknown[]
  readonly result: (number: number, words: number) => unknown
}

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0')
const quantity = (number: number) => `0x${hex(number, 1)}`
const word = (number: number) => `0x${hex(number, 64)}`
const data = (number: number, words: number) => `0x${hex(number, 64).repeat(words)}`
const address = (number: number, words = 1) => `0x${hex(words, 8)}${hex(number, 32)}`

// A block that every chain of a test considers final, so that the gateway caches the responses.
const finalBlock = '0x10'

const methods: Readonly<Record<string, NumberedMethod>> = {
  eth_getBalance: {
    isRepeatable: true,
    params: (number) => [address(number), 'latest'],
    result: quantity,
  },
  eth_getTransactionCount: {
    isRepeatable: true,
    params: (number) => [address(number), finalBlock],
    result: quantity,
  },
  eth_getStorageAt: {
    isRepeatable: true,
    params: (number) => [address(number), '0x0', 'latest'],
    result: word,
  },
  eth_getTransactionByHash: {
    isRepeatable: true,
    params: (number) => [word(number)],
    result: (number) => ({ hash: word(number), blockNumber: finalBlock }),
  },
  eth_getCode: {
    isRepeatable: true,
    params: (number, words) => [address(number, words), finalBlock],
    result: data,
  },
  eth_call: {
    isRepeatable: true,
    params: (number, words) => [{ to: address(number, words), data: '0x' }, 'latest'],
    result: data,
  },
  eth_sendRawTransaction: {
    isRepeatable: false,
    params: (number) => [word(number)],
    result: word,
  },
  eth_sendRawTransactionSync: {
    isRepeatable: false,
    params: (number) => [word(number)],
    result: (number) => ({ transactionHash: word(number), status: '0x1' }),
  },
}

const shortMethods = Object.keys(methods)
const longMethods = ['eth_getCode', 'eth_call']

/**
 * Draws the method of a call.
 *
 * @param words - length of the result in words of 32 bytes; more than one only for methods with results of any length
 */
export function numberedCall(draw: Draw, number: number, words: number): NumberedCall {
  const names = words > 1 ? longMethods : shortMethods
  const method = names[draw(names.length)] as string
  const { isRepeatable, params } = methods[method] as NumberedMethod
  return { number, method, params: params(number, words), isRepeatable }
}

/** Returns the number in the params of a call. Undefined for a call of another kind. */
export function numberOf({ method, params }: Pick<NumberedCall, 'method' | 'params'>): number | undefined {
  return method in methods ? Number.parseInt(subjectOf(params).slice(-12), 16) : undefined
}

/** Returns the result of a call that has a number in its params. */
export function resultOf({ method, params }: Pick<NumberedCall, 'method' | 'params'>): unknown {
  const subject = subjectOf(params)
  const words = Number.parseInt(subject.slice(2, 10), 16)
  return methods[method]?.result(Number.parseInt(subject.slice(-12), 16), words)
}

/** The address or hash that contains the number of a call. */
function subjectOf(params: readonly unknown[]): string {
  return (
    JSON.stringify(params)
      .match(/0x[0-9a-f]{40,64}/g)
      ?.at(-1) ?? ''
  )
}
