import { createHmac, randomBytes } from 'node:crypto'

/** Makes the secret of a webhook: 256 random bits behind a prefix by which scanners find it. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64url')}`
}

/**
 * Signs a request of a webhook: `t=<time>,v1=<HMAC-SHA-256 of "<time>.<body>" in hex>`. The time is signed as well, so
 * that a receiver can refuse a request that somebody has kept.
 *
 * @param time - in milliseconds since 1970; sent in seconds
 */
export function signatureOf(secret: string, time: number, body: string): string {
  const seconds = Math.floor(time / 1_000)
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${signature}`
}
