import * as v2 from '../generated/jetton-v2/addresses.ts'
import * as v3 from '../generated/jetton-v3/addresses.ts'
import { type AddressForm, addressForm, type AddressFormOptions, requireForm } from './address-form.ts'
import { operationOf } from '../nodes/operation.ts'
import type { AddressWriter } from './writer.ts'

// The form of the address is the subject of these operations.
const formOperations = new Set(['/api/v2/packAddress', '/api/v2/unpackAddress'])

/**
 * Creates the option `addresses` of the clients: converts every address of every response to one form.
 *
 * The specification determines which fields are addresses. A comment that looks like an address stays unchanged, and so
 * does a text that is not an address in an address field. Operations of v2 that convert an address return the requested
 * form.
 *
 * @param form - the target form
 * @param options - `testOnly`
 * @returns the option
 * @throws FairleadError `CONFIG_INVALID` when the form is unknown
 * @example
 * ```ts
 * const jetton = createJettonV3Client({ url, auth, addresses: addressWriter('non-bounceable') })
 * ```
 * @see TEP-2
 */
export function addressWriter(form: AddressForm, options: AddressFormOptions = {}): AddressWriter {
  requireForm(form)
  const convert = (text: string): string => {
    try {
      return addressForm(text, form, options)
    } catch {
      return text
    }
  }
  return (send) => async (request) => {
    const original = request.clone()
    const response = await send(request)
    const operation = operationOf(original.url, await original.text())
    const { addressResponses, addressTypes } = operation.startsWith('/api/v2/') ? v2 : v3
    if (!response.ok || formOperations.has(operation) || !Object.hasOwn(addressResponses, operation))
      return response
    const body: unknown = await response.json()
    return Response.json(rewriteAddresses(body, addressResponses[operation], addressTypes, convert), response)
  }
}

function rewriteAddresses(
  value: unknown,
  shape: v3.AddressShape | undefined,
  types: Readonly<Record<string, v3.AddressShape>>,
  convert: (text: string) => string,
): unknown {
  const rewrite = (item: unknown, itemShape: v3.AddressShape | undefined): unknown =>
    rewriteAddresses(item, itemShape, types, convert)

  if (shape === undefined) return value
  if (Array.isArray(value)) return value.map((item) => rewrite(item, shape))
  if (typeof shape === 'string') return rewrite(value, types[shape])
  if (shape === true) return typeof value === 'string' ? convert(value) : value
  if (isList(shape)) return shape.reduce(rewrite, value)
  if (typeof value !== 'object' || value === null) return value
  const { '*': defaultShape, '@': keys, ...properties } = shape
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      keys ? convert(key) : key,
      rewrite(item, Object.hasOwn(properties, key) ? properties[key] : defaultShape),
    ]),
  )
}

const isList = (shape: v3.AddressShape): shape is readonly v3.AddressShape[] => Array.isArray(shape)
