// White space between the parts of a JSON text, and nothing within a string.
const betweenParts = /("(?:[^"\\]|\\.)*")|\s+/g
// Addresses and hashes: nodes do not mind the case, and clients write checksums.
const addressOrHash = /(?<=[[,:{])"0x(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})"(?=[\],:}])/g

/**
 * The params of a call in the one form that equal ones share. Only what can make no difference to any node is levelled:
 * white space, and the case of addresses and hashes.
 *
 * @param text - valid JSON
 */
export function canonicalParams(text: string): string {
  if (!/[\sA-F]/.test(text)) return text
  const dense = /\s/.test(text) ? text.replaceAll(betweenParts, '$1') : text
  return /[A-F]/.test(dense) ? dense.replaceAll(addressOrHash, (match) => match.toLowerCase()) : dense
}
