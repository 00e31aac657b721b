/**
 * Replaces every secret in a text by `***`, including its percent-encoded form.
 *
 * @param text - any text that may be shown or logged
 * @param secrets - tokens, keys and passwords in plain text; empty ones are skipped
 * @returns the text without them
 * @example
 * ```ts
 * redact('GET /s3cr3t/evm failed', ['s3cr3t']) // 'GET /***\/evm failed'
 * ```
 */
export function redact(text: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    if (secret) text = text.replaceAll(secret, '***').replaceAll(encodeURIComponent(secret), '***')
  }
  return text
}

/**
 * Replaces every secret inside a JSON value; returns the value itself when it contains none.
 *
 * @param value - any result of `JSON.parse`
 * @param secrets - tokens, keys and passwords in plain text
 * @returns the value, or a copy of it without the secrets
 * @example
 * ```ts
 * redactJson({ url: 'http://node/s3cr3t' }, ['s3cr3t']) // { url: 'http://node/***' }
 * ```
 */
export function redactJson<value>(value: value, secrets: readonly string[]): value {
  const text = JSON.stringify(value)
  const escaped = secrets.map((secret) => JSON.stringify(secret).slice(1, -1))
  if (!text || redact(text, [...secrets, ...escaped]) === text) return value
  return JSON.parse(text, (_, item) => (typeof item === 'string' ? redact(item, secrets) : item)) as value
}
