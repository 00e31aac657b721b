import { addressKey, bits256, bits256Key, constructor, fields, setE, uint } from './tl-b.ts'

/** `ConfigParam 0` to `4`: accounts of the masterchain. */
export const configAddr = fields({ config_addr: bits256 })
export const electorAddr = fields({ elector_addr: bits256 })
export const minterAddr = fields({ minter_addr: bits256 })
export const feeCollectorAddr = fields({ fee_collector_addr: bits256 })
export const dnsRootAddr = fields({ dns_root_addr: bits256 })

/** `ConfigParam 31`: contracts of the masterchain that pay no fees for storage. */
export const fundamentalSmcAddr = fields({ fundamental_smc_addr: setE(bits256Key) })

/** `SuspendedAddressList`: accounts that cannot be created before a given time. */
export const suspendedAddressList = constructor(
  'suspended_address_list#00',
  fields({ addresses: setE(addressKey), suspended_until: uint(32) }),
)
