import type { HttpOptions } from '@fairlead/core'

/**
 * Moves the error message to its field in the contract. Some rate limiters in front of a node respond with
 * `{ ok: false, result: "Ratelimit exceed", code: 429 }`, while clients read `error`.
 */
export function withErrorMessage({ fetch = globalThis.fetch, ...options }: HttpOptions): HttpOptions {
  return {
    ...options,
    async fetch(input, init) {
      const response = await fetch(input, init)
      if (response.status < 400) return response
      const text = await response.text()
      const error = misplacedMessage(text)
      return new Response(
        error ? JSON.stringify({ ok: false, error, code: response.status }) : text,
        response,
      )
    },
  }
}

function misplacedMessage(text: string): string | undefined {
  try {
    const { error, result } = JSON.parse(text) as { error?: unknown; result?: unknown }
    return error === undefined && typeof result === 'string' ? result : undefined
  } catch {
    return undefined
  }
}
