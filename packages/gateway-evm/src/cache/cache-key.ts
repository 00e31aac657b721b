const maxLength = 65_536
// Whitespace between JSON tokens, not inside strings.
const betweenTokens = /("(?:[^"\\]|\\.)*")|\s+/g
// Account addresses and hashes: upstreams ignore their case, and clients send addresses with checksums.
const addressOrHash = /(?<=[[,:{])"0x(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})"(?=[\],:}])/g

/**
 * Returns the canonical form of a call's params, which is the same for equal params. Normalizes only what makes no
 * difference to any upstream: whitespace, and the case of account addresses and hashes.
 * Long params are returned unchanged: few calls have them, and a string of megabytes is too long for the regular
 * expression.
 *
 * @param text - valid JSON
 */
export function canonicalParams(text: string): string {
  if (text.length > maxLength || !/[\sA-F]/.test(text)) return text
  const dense = /\s/.test(text) ? text.replaceAll(betweenTokens, '$1') : text
  return /[A-F]/.test(dense) ? dense.replaceAll(addressOrHash, (match) => match.toLowerCase()) : dense
}
