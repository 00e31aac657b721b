import * as v2 from '../generated/jetton-v2/addresses.ts'
import * as v3 from '../generated/jetton-v3/addresses.ts'
import { type AddressForm, addressForm, type AddressFormOptions, requireForm } from './address-form.ts'
import { operationOf } from '../nodes/operation.ts'
import type { AddressWriter } from './writer.ts'

// The form of the address is the subject of these operations.
const aboutForms = new Set(['/api/v2/packAddress', '/api/v2/unpackAddress'])

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
 */
export function addressWriter(form: AddressForm, options: AddressFormOptions = {}): AddressWriter {
  requireForm(form)
  const written = (text: string): string => {
    try {
      return addressForm(text, form, options)
    } catch {
      return text
    }
  }
  return (send) => async (request) => {
    const asked = request.clone()
    const answer = await send(request)
    const operation = operationOf(asked.url, await asked.text())
    const { addressResponses, addressTypes } = operation.startsWith('/api/v2/') ? v2 : v3
    if (!answer.ok || aboutForms.has(operation) || !Object.hasOwn(addressResponses, operation)) return answer
    const body: unknown = await answer.json()
    return Response.json(rewritten(body, addressResponses[operation], addressTypes, written), answer)
  }
}

function rewritten(
  value: unknown,
  shape: v3.AddressShape | undefined,
  types: Readonly<Record<string, v3.AddressShape>>,
  written: (text: string) => string,
): unknown {
  const at = (part: unknown, within: v3.AddressShape | undefined): unknown =>
    rewritten(part, within, types, written)

  if (shape === undefined) return value
  if (Array.isArray(value)) return value.map((item) => at(item, shape))
  if (typeof shape === 'string') return at(value, types[shape])
  if (shape === true) return typeof value === 'string' ? written(value) : value
  if (isList(shape)) return shape.reduce(at, value)
  if (typeof value !== 'object' || value === null) return value
  const { '*': others, '@': keys, ...properties } = shape
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      keys ? written(key) : key,
      at(item, Object.hasOwn(properties, key) ? properties[key] : others),
    ]),
  )
}

const isList = (shape: v3.AddressShape): shape is readonly v3.AddressShape[] => Array.isArray(shape)
