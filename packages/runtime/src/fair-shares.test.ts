import { describe, expect, it } from 'vitest'
import { FairShares, networkOf, type Owner } from './fair-shares.ts'

const tenant = (organizationId: string, projectId = 'project', credentialId = 'credential') => ({
  organizationId,
  projectId,
  credentialId,
})

/** Takes single units until the owners, in turn, get no more. Returns what each of them uses. */
function fill(shares: FairShares, ...owners: readonly Owner[]): readonly number[] {
  const used = owners.map(() => 0)
  for (let isTaken = true; isTaken;) {
    isTaken = false
    owners.forEach((owner, at) => {
      if (!shares.take(owner, 1)) return
      used[at] = (used[at] ?? 0) + 1
      isTaken = true
    })
  }
  return used
}

describe('an owner', () => {
  it('that is alone leaves an eighth to new owners', () => {
    const shares = new FairShares({ capacity: 800 })
    expect(fill(shares, tenant('a'))).toEqual([700])
    expect(shares.canTake(tenant('b'), 50)).toBe(true)
  })

  it.each([
    [2, 266],
    [3, 200],
    [7, 100],
  ])('among %i organizations uses what leaves as much free', (count, expected) => {
    const shares = new FairShares({ capacity: 800 })
    const used = fill(shares, ...Array.from({ length: count }, (_, at) => tenant(`${at}`)))
    for (const each of used) expect(Math.abs(each - expected)).toBeLessThanOrEqual(1)
  })

  it('gets nothing more while it is above its share, and again when it is below', () => {
    const shares = new FairShares({ capacity: 800 })
    const first = shares.take(tenant('a'), 700)
    expect(shares.take(tenant('b'), 40)).toBeDefined()
    expect(shares.canTake(tenant('a'), 1)).toBe(false)
    if (first) shares.give(first, 500)
    expect(shares.canTake(tenant('a'), 100)).toBe(true)
  })

  it('shares by project, then by credential, within its organization', () => {
    const shares = new FairShares({ capacity: 900 })
    const [ofOther, first, second] = fill(
      shares,
      tenant('b'),
      tenant('a', 'one'),
      tenant('a', 'two'),
    ) as readonly [number, number, number]
    expect(Math.abs(first - second)).toBeLessThanOrEqual(1)
    expect(first + second).toBeLessThanOrEqual(ofOther)
  })

  it('exceeds no share right after the part of the resource that is not shared', () => {
    const shares = new FairShares({ capacity: 1_600 })
    for (const other of [tenant('b'), tenant('a', 'two'), tenant('a', 'one', 'y')]) shares.take(other, 1)
    expect(fill(shares, tenant('a', 'one', 'x'))[0]).toBeGreaterThan(100)
    shares.capacity = 1_600 * 16
    // The part grows with the capacity.
    expect(fill(shares, tenant('a', 'one', 'x'))[0]).toBeGreaterThan(1_600)
  })

  it('gets no larger share by more credentials', () => {
    const shares = new FairShares({ capacity: 800 })
    const keys = Array.from({ length: 60 }, (_, at) => tenant('a', 'one', `${at}`))
    const used = fill(shares, ...keys, tenant('b'))
    // The keys reach half of the resource at once, and the other organization half of the rest.
    expect(used.at(-1)).toBeGreaterThanOrEqual(200)
  })

  it('gets the granted amount although others use more', () => {
    const shares = new FairShares({ capacity: 16, alwaysGranted: 4 })
    fill(shares, tenant('a'))
    expect(fill(shares, tenant('b'))).toEqual([2])
    const within = new FairShares({ capacity: 64, alwaysGranted: 4 })
    within.take(tenant('a', 'one', 'first'), 53)
    // The project of the other credential has a share of one, and the organization of three more.
    expect(fill(within, tenant('a', 'two'))).toEqual([3])
  })

  it.each([10, 60, 150])('gets no larger amount with %i credentials that are each granted four', (count) => {
    const shares = new FairShares({ capacity: 96, alwaysGranted: 4 })
    const credentials = Array.from({ length: count }, (_, at) => tenant('a', `${at % 7}`, `${at}`))
    const used = fill(shares, ...credentials).reduce((sum, each) => sum + each, 0)
    expect(used).toBeLessThanOrEqual(84)
    expect(fill(shares, tenant('b'))[0]).toBeGreaterThanOrEqual(4)
  })

  it('cannot exceed the capacity, nor can the gateway itself', () => {
    const shares = new FairShares({ capacity: 8, alwaysGranted: 4 })
    expect(fill(shares, undefined)).toEqual([8])
    expect(shares.canTake(tenant('a'), 1)).toBe(false)
  })
})

describe('clients without a credential', () => {
  it('leave half of their quarter to new addresses', () => {
    const shares = new FairShares({ capacity: 800 })
    expect(fill(shares, { address: '192.0.2.1' })).toEqual([100])
    expect(fill(shares, { address: '192.0.2.2' })).toEqual([50])
    expect(shares.canTake({ address: '192.0.2.3' }, 25)).toBe(true)
  })

  it('use a quarter together', () => {
    const shares = new FairShares({ capacity: 800 })
    const used = fill(shares, ...Array.from({ length: 50 }, (_, at) => ({ address: `192.0.2.${at}` })))
    expect(used.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(200)
    expect(Math.min(...used)).toBeGreaterThan(0)
  })

  it('count by the network of 64 bits', () => {
    const shares = new FairShares({ capacity: 800 })
    const hosts = Array.from({ length: 4 }, (_, at) => ({ address: `2001:db8:0:1::${at}` }))
    fill(shares, ...hosts)
    expect(shares.canTake({ address: '2001:db8:0:1:ffff::' }, 1)).toBe(false)
  })
})

it('an owner without use costs no memory', () => {
  const shares = new FairShares({ capacity: 800 })
  for (let count = 0; count < 1_000; count += 1) {
    const share = shares.take(tenant(`${count}`), 1)
    if (share) shares.give(share, 1)
  }
  expect(shares.used).toBe(0)
  expect(fill(shares, tenant('a'))).toEqual([700])
})

describe('the limit that is exceeded', () => {
  const shares = new FairShares({ capacity: 800 })
  shares.take(tenant('a', 'one', 'first'), 300)
  shares.take(tenant('a', 'two'), 40)
  shares.take(tenant('a', 'one', 'second'), 20)
  shares.take(tenant('b'), 100)

  it.each([
    ['resource', tenant('c'), 341],
    ['organization', tenant('a', 'one', 'second'), 1],
    ['organization', tenant('b', 'new'), 121],
    ['project', tenant('b', 'new'), 101],
    ['credential', tenant('b', 'project', 'new'), 101],
    [undefined, tenant('b', 'project', 'new'), 60],
  ])('is %s', (limit, owner, amount) => {
    expect(shares.exceeded(owner, amount)).toBe(limit)
  })
})

describe('an open share', () => {
  it('counts like single amounts of its credential', () => {
    const shares = new FairShares({ capacity: 800 })
    const share = shares.open(tenant('a'))
    expect([share.take(700), share.take(1), share.used]).toEqual([undefined, 'organization', 700])
    expect(shares.canTake(tenant('a'), 1)).toBe(false)
    expect(shares.take(tenant('b'), 50)).toBeDefined()
    share.give(600)
    expect(shares.take(tenant('a'), 1)).toBeDefined()
    expect([share.used, shares.usedByOrganization(tenant('a')), shares.used]).toEqual([101, 101, 151])
  })

  it('remains that of its credential while others come and go, and until all is given back', () => {
    const shares = new FairShares({ capacity: 800 })
    const share = shares.open(tenant('a'))
    for (const organizationId of ['b', 'c', 'a']) {
      const other = shares.take(tenant(organizationId, 'other'), 1)
      if (other) shares.give(other, 1)
    }
    share.take(100)
    share.close()
    expect(shares.usedByOrganization(tenant('a'))).toBe(100)
    share.give(100)
    expect(shares.take(tenant('a'), 1)?.used).toBe(1)
    expect(shares.usedByOrganization(tenant('a'))).toBe(1)
  })
})

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
  ['2001:DB8::7', '2001:db8:0:0::/64'],
  ['2001:0db8:0000:0001::', '2001:db8:0:1::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
