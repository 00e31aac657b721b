import { describe, expect, it } from 'vitest'
import { isAllowedAddress } from './network-policy.ts'

const publicOnly = { isPrivateAllowed: false }
const all = { isPrivateAllowed: true }

describe('isAllowedAddress', () => {
  it.each([
    '1.1.1.1',
    '93.184.215.14',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '::ffff:93.184.215.14',
    '64:ff9b::5db8:d70e',
    '2606:4700::5efe:93.184.215.14',
  ])('allows %s', (address) => {
    expect([isAllowedAddress(address, publicOnly), isAllowedAddress(address, all)]).toEqual([true, true])
  })

  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.1',
    '100.64.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '192.0.0.8',
    '192.0.2.1',
    '198.19.0.1',
    '203.0.113.9',
    '::1',
    'fc00::1',
    'fd12:3456::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.1.2.3',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a00:1',
    '::1%lo',
    '2606:4700::5efe:10.0.0.1',
    '2606:4700::200:5efe:a00:1',
  ])('allows %s only where private IP addresses are allowed', (address) => {
    expect([isAllowedAddress(address, publicOnly), isAllowedAddress(address, all)]).toEqual([false, true])
  })

  it.each([
    '0.0.0.0',
    '169.254.169.254',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    'fe80::1',
    'ff02::1',
    '2001:db8::1',
    '2001::1',
    '2002:7f00:1::',
    '4000::1',
    '::ffff:169.254.169.254',
    '64:ff9b::169.254.169.254',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b:1::5db8:d70e',
    'fe80::1%eth0',
    'fec0::1',
    // An ISATAP interface identifier contains an IPv4 address.
    '2606:4700::5efe:169.254.169.254',
    // Cloud metadata services outside the link-local networks.
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd20:ce::254',
  ])('never allows %s', (address) => {
    expect([isAllowedAddress(address, publicOnly), isAllowedAddress(address, all)]).toEqual([false, false])
  })
})
