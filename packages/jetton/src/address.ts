/**
 * Address parsing and conversion. A separate entry point, because it includes @ton/core.
 *
 * @module
 */
export {
  type AddressForm,
  addressForm,
  type AddressFormOptions,
  parseAddress,
  sameAddress,
} from './addresses/address-form.ts'
export { addressWriter } from './addresses/address-writer.ts'
export type { AddressWriter } from './addresses/writer.ts'
