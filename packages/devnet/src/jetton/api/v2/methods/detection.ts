import { writeHash } from '../../cells/hash.ts'
import { writeRawAddress } from '../../cells/address.ts'
import { reading, type Methods } from '../method.ts'
import { address, hash, formattedAddress } from '../parameters.ts'

const typeNames = {
  raw: 'raw_form',
  bounceable: 'friendly_bounceable',
  non_bounceable: 'friendly_non_bounceable',
} as const

/** Methods that convert addresses and hashes between their forms. */
export const detectionMethods: Methods = {
  detectAddress: reading({ address: formattedAddress }, (_chain, { address: written }) => {
    const { form, testOnly } = written
    const write = (bounceable: boolean) => ({
      '@type': 'ext.utils.detectedAddressVariant',
      b64: written.address.toString({ bounceable, testOnly, urlSafe: false }),
      b64url: written.address.toString({ bounceable, testOnly }),
    })
    return {
      '@type': 'ext.utils.detectedAddress',
      raw_form: written.address.toRawString(),
      bounceable: write(true),
      non_bounceable: write(false),
      given_type: typeNames[form],
      test_only: testOnly,
    }
  }),
  detectHash: reading({ hash }, (_chain, { hash: bytes }) => ({
    '@type': 'ext.utils.detectedHash',
    b64: writeHash(bytes),
    b64url: bytes.toString('base64url'),
    hex: bytes.toString('hex'),
  })),
  packAddress: reading({ address }, (_chain, values) => values.address.toString()),
  unpackAddress: reading({ address }, (_chain, values) => writeRawAddress(values.address)),
}
