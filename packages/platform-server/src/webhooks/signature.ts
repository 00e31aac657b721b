import { createHmac, randomBytes } from 'node:crypto'

/** Creates the secret of a webhook: 256 random bits after a prefix that secret scanners detect. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64url')}`
}

/**
 * Signs a webhook request: `t=<time>,v1=<HMAC-SHA-256 of "<time>.<body>" in hex>`. The signature covers the time, so
 * that a receiver can reject replayed requests.
 *
 * @param time - in milliseconds since 1970; sent in seconds
 */
export function signatureOf(secret: string, time: number, body: string): string {
  const seconds = Math.floor(time / 1_000)
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${signature}`
}
