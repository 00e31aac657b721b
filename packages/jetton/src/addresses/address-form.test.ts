import { Address } from '@ton/core'
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { addressForm, parseAddress, sameAddress } from '../address.ts'

const raw = '0:7B34CFF14F5FCD3546F0A4CC71AFBB4797A9CFA52423BCC3791637BF9F0D7EBD'
const bounceable = 'EQB7NM_xT1_NNUbwpMxxr7tHl6nPpSQjvMN5Fje_nw1-vXMc'
const nonBounceable = 'UQB7NM_xT1_NNUbwpMxxr7tHl6nPpSQjvMN5Fje_nw1-vS7Z'

/** Every form of an address. */
function formsOf(address: Address): readonly string[] {
  const flags = [true, false]
  const friendly = flags.flatMap((isBounceable) =>
    flags.flatMap((testOnly) =>
      flags.map((urlSafe) => address.toString({ bounceable: isBounceable, testOnly, urlSafe })),
    ),
  )
  return [address.toRawString(), address.toRawString().toUpperCase(), ...friendly]
}

const some = Array.from({ length: 50 }, (_, index) => new Address(index % 5 ? 0 : -1, randomBytes(32)))

describe('an address', () => {
  it('is parsed from every form, and formatted like @ton/core', () => {
    for (const address of some) {
      for (const form of formsOf(address)) {
        expect(parseAddress(form).equals(address), form).toBe(true)
        expect(addressForm(form, 'raw')).toBe(address.toRawString().toUpperCase())
        expect(addressForm(form, 'bounceable')).toBe(address.toString())
        expect(addressForm(form, 'non-bounceable')).toBe(address.toString({ bounceable: false }))
        expect(addressForm(form, 'bounceable', { testOnly: true })).toBe(address.toString({ testOnly: true }))
      }
    }
  })

  it('has the forms of the specification', () => {
    expect(addressForm(raw, 'bounceable')).toBe(bounceable)
    expect(addressForm(raw.toLowerCase(), 'non-bounceable')).toBe(nonBounceable)
    expect(addressForm(nonBounceable, 'raw')).toBe(raw)
  })

  it('can be an object of @ton/core', () => {
    const address = Address.parse(bounceable)
    expect(parseAddress(address).equals(address)).toBe(true)
    expect(addressForm(address, 'raw')).toBe(raw)
  })

  it('is equal in every form, and to no other address', () => {
    expect(sameAddress(raw, nonBounceable)).toBe(true)
    expect(sameAddress(raw, raw.replace('0:', '-1:'))).toBe(false)
    expect(sameAddress(raw, raw.replace(/D$/, 'C'))).toBe(false)
  })
})

describe('an invalid address', () => {
  // One letter changed in each: the checksum detects all of them.
  const misspelled = bounceable
    .split('')
    .map(
      (letter, index) =>
        bounceable.slice(0, index) + (letter === 'A' ? 'B' : 'A') + bounceable.slice(index + 1),
    )
  // A workchain that does not exist, with a valid checksum.
  const elsewhere = [new Address(3, randomBytes(32)).toString(), '1:'.padEnd(66, '0')]

  it.each([
    '',
    'null',
    raw.slice(0, -1),
    `${raw}0`,
    raw.slice(2),
    raw.replace('7', 'G'),
    bounceable.slice(1),
    `${bounceable}=`,
    ...elsewhere,
    ...misspelled,
  ])('is rejected without quoting it: %s', (text) => {
    const error = caught(() => parseAddress(text))
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', details: { option: 'address' } })
    if (text.length > 8) expect(String(error)).not.toContain(text)
  })

  it('cannot have an unknown form', () => {
    expect(caught(() => addressForm(raw, 'hex' as 'raw'))).toMatchObject({ details: { option: 'form' } })
  })
})

function caught(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  return expect.unreachable()
}
