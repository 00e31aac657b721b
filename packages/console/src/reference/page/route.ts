/** The target of a URL of the reference. */
export interface ReferenceRoute {
  readonly document: string | undefined
  readonly operation: string | undefined
}

const root = '/docs'

/**
 * Parses the path of a URL.
 *
 * @param path - for example `/docs/evm/eth_getBalance`
 */
export function routeOf(path: string): ReferenceRoute {
  const [document, ...operation] = path.slice(root.length + 1).split('/')
  return { document: document || undefined, operation: decode(operation.join('/')) || undefined }
}

/** The URL of a document or of an operation in it. */
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
