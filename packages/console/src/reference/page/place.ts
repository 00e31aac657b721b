/** What an address of the reference leads to. */
export interface Place {
  readonly document: string | undefined
  readonly operation: string | undefined
}

const root = '/docs'

/**
 * Reads an address.
 *
 * @param path - for example `/docs/evm/eth_getBalance`
 */
export function placeOf(path: string): Place {
  const [document, ...operation] = path.slice(root.length + 1).split('/')
  return { document: document || undefined, operation: decode(operation.join('/')) || undefined }
}

/** The address of a document or of an operation in it. */
export function hrefOf(document: string, operation?: string): string {
  return `${root}/${document}/${operation === undefined ? '' : encodeURI(operation)}`
}

function decode(text: string): string {
  try {
    return decodeURI(text)
  } catch {
    return text
  }
}
