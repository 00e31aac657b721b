import { getAddress as ethersAddress } from 'ethers'
import { getAddress as viemAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { checksumAddress, isChecksumAddress } from './address.ts'
import { toQuantity } from './values/hex.ts'

describe('checksumAddress', () => {
  // The addresses of EIP-55.
  it.each([
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])('formats %s', (address) => {
    expect(checksumAddress(address.toLowerCase())).toBe(address)
    expect(isChecksumAddress(address)).toBe(true)
  })

  it('agrees with viem and ethers', () => {
    for (let seed = 1n; seed < 200n; seed++) {
      const address = `0x${toQuantity((seed * 0x9e3779b97f4a7c15f39cc0605cedc8341082276bn) % 2n ** 160n)
        .slice(2)
        .padStart(40, '0')}` as const
      expect(checksumAddress(address)).toBe(viemAddress(address))
      expect(checksumAddress(address)).toBe(ethersAddress(address))
      expect(checksumAddress(address, 30)).toBe(viemAddress(address, 30))
    }
  })

  it('includes a chain id', () => {
    // An address of EIP-1191.
    const address = '0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD'
    expect(checksumAddress(address.toLowerCase(), 30)).toBe(address)
    expect(isChecksumAddress(address, 30n)).toBe(true)
    expect(isChecksumAddress(address)).toBe(false)
  })

  it('rejects an invalid address', () => {
    expect(() => checksumAddress('0x12')).toThrow('address')
    expect(isChecksumAddress('0x12')).toBe(false)
    expect(isChecksumAddress('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed')).toBe(false)
  })
})
