import { keyTextOfAddress } from '../key-text.ts'
import { FilterError } from './filter-error.ts'

/**
 * Parses a list of public keys.
 *
 * @param texts keys in base58
 * @param field name of the list for the error
 * @returns texts in the format of `keyText`
 * @throws FilterError for a text that is not a public key
 */
export function readPublicKeys(texts: readonly string[], field: string): ReadonlySet<string> {
  return new Set(
    texts.map((text, index) => {
      const key = keyTextOfAddress(text)
      if (key === undefined)
        throw new FilterError(`${field}[${index}] must be a public key, 32 bytes in base58`)
      return key
    }),
  )
}
