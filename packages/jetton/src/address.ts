/**
 * Addresses in all their forms. Apart from the clients, as it brings @ton/core.
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
