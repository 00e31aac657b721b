import { isDeepStrictEqual } from 'node:util'
import { credentialKinds, type CredentialRecord, type Grant } from '../grants/grant.ts'
import type { Limits } from '../grants/limits.ts'
import { EndpointEntry } from './endpoint-entry.ts'
import { SlotIndex } from './slot-index.ts'

const digestBytes = 32
const digestWords = digestBytes / 4
const firstCapacity = 64

/**
 * Credentials in typed arrays, one slot each, indexed by the digest of the secret and by id. It needs about 130 bytes
 * per credential and no object per credential.
 */
export class CredentialTable {
  /** Number of credentials. */
  size = 0
  #capacity = firstCapacity
  #used = 0
  readonly #free: number[] = []
  #words = new Uint32Array(firstCapacity * digestWords)
  /** A byte view of `#words`. */
  #digests = Buffer.from(this.#words.buffer)
  #ids: (string | undefined)[] = []
  #kinds = new Uint8Array(firstCapacity)
  #nodes = new Uint32Array(firstCapacity)
  /**
   * The credentials of one node form a linked list of slots. Each entry is the slot before or after plus one; 0 = none.
   */
  #slotsBefore = new Uint32Array(firstCapacity)
  #slotsAfter = new Uint32Array(firstCapacity)
  /** Milliseconds since 1970; NaN for a credential without expiry. */
  #expiries = new Float64Array(firstCapacity)
  #sweeps = new Uint8Array(firstCapacity)
  /** A map, because few credentials have their own limits. */
  readonly #limits = new Map<number, Limits>()
  readonly #bySecret = new SlotIndex({ hashOf: (slot) => this.#words[slot * digestWords] ?? 0 })
  readonly #byId = new SlotIndex({ hashOf: (slot) => hashOfText(this.#ids[slot] ?? '') })
  readonly #endpoints: (EndpointEntry | undefined)[] = []
  readonly #endpointIndexes = new Map<string, number>()
  readonly #freeEndpoints: number[] = []
  #sweep = 0

  /** The grant of a credential, by the SHA-256 of its secret as a string of 32 one-byte characters. */
  bySecret(digest: string): Grant | undefined {
    return this.#grantIn(this.#slotOfDigest(digest))
  }

  byId(credentialId: string): Grant | undefined {
    return this.#grantIn(this.#slotOfId(credentialId))
  }

  /** Adds or updates a credential. Returns true when anything changed. */
  put({ sha256, grant }: CredentialRecord): boolean {
    const digest = Buffer.from(sha256, 'hex').toString('latin1').padEnd(digestBytes, '\0')
    const existing = this.#slotOfDigest(digest)
    if (existing !== -1 && this.#ids[existing] === grant.credentialId) return this.#update(existing, grant)
    if (existing !== -1) this.#remove(existing)
    this.#insert(digest, grant)
    return true
  }

  /**
   * Removes the named credentials and all credentials of the named nodes, except those in `records`.
   *
   * @returns whether one was removed
   */
  removeExcept(
    named: { readonly nodeIds: readonly string[]; readonly credentialIds: readonly string[] },
    records: readonly CredentialRecord[],
  ): boolean {
    const current = new Map(records.map(({ sha256, grant }) => [grant.credentialId, sha256]))
    const slots = named.credentialIds.map((id) => this.#slotOfId(id)).filter((slot) => slot !== -1)
    for (const nodeId of new Set(named.nodeIds)) {
      const endpoint = this.#endpoints[this.#endpointIndexes.get(nodeId) ?? -1]
      for (let next = endpoint?.lastSlot ?? 0; next !== 0; next = this.#slotsBefore[next - 1] ?? 0)
        slots.push(next - 1)
    }
    const outdated = slots.filter((slot) => {
      const id = this.#ids[slot]
      return id !== undefined && current.get(id) !== this.#digestOf(slot).toString('hex')
    })
    for (const slot of new Set(outdated)) this.#remove(slot)
    return outdated.length > 0
  }

  /** Begins to track which credentials are put from now on. */
  beginSweep(): void {
    this.#sweep = (this.#sweep + 1) & 0xff
  }

  /**
   * Removes the credentials in a part of the table that were not put since {@link beginSweep}.
   *
   * @returns the start of the next part, and whether a credential was removed
   */
  sweep(from: number, length: number): { readonly next: number | undefined; readonly removed: boolean } {
    const end = Math.min(from + length, this.#used)
    let removed = false
    for (let slot = from; slot < end; slot++) {
      if (this.#ids[slot] === undefined || this.#sweeps[slot] === this.#sweep) continue
      this.#remove(slot)
      removed = true
    }
    return { next: end < this.#used ? end : undefined, removed }
  }

  #grantIn(slot: number): Grant | undefined {
    return slot === -1 ? undefined : this.#endpointOf(slot).grantOf(slot, this.#credentialIn)
  }

  readonly #credentialIn = (slot: number) => {
    const expiresAt = this.#expiries[slot] ?? NaN
    return {
      credentialId: this.#ids[slot] ?? '',
      kind: credentialKinds[this.#kinds[slot] ?? 0] ?? 'token',
      expiresAt: Number.isNaN(expiresAt) ? undefined : expiresAt,
      limits: this.#limits.get(slot),
    }
  }

  #endpointOf(slot: number): EndpointEntry {
    const endpoint = this.#endpoints[this.#nodes[slot] ?? -1]
    if (!endpoint) throw new Error('The node of a credential does not exist.')
    return endpoint
  }

  #slotOfDigest(digest: string): number {
    if (digest.length !== digestBytes) return -1
    probed.write(digest, 'latin1')
    return this.#bySecret.find(probedWords[0] ?? 0, (slot) => {
      const start = slot * digestWords
      for (let at = 0; at < digestWords; at++) {
        if (this.#words[start + at] !== probedWords[at]) return false
      }
      return true
    })
  }

  #slotOfId(credentialId: string): number {
    return this.#byId.find(hashOfText(credentialId), (slot) => this.#ids[slot] === credentialId)
  }

  #digestOf(slot: number): Buffer {
    return this.#digests.subarray(slot * digestBytes, (slot + 1) * digestBytes)
  }

  #insert(digest: string, grant: Grant): void {
    const slot = this.#free.pop() ?? this.#used++
    if (slot >= this.#capacity) this.#grow()
    this.#digests.write(digest, slot * digestBytes, 'latin1')
    this.#ids[slot] = grant.credentialId
    this.#addToNode(slot, grant)
    this.#setCredential(slot, grant)
    this.#sweeps[slot] = this.#sweep
    this.#bySecret.add(slot)
    // When two secrets have the same id, the id refers to the later one.
    const other = this.#slotOfId(grant.credentialId)
    if (other !== -1) this.#byId.delete(other)
    this.#byId.add(slot)
    this.size += 1
  }

  #update(slot: number, grant: Grant): boolean {
    this.#sweeps[slot] = this.#sweep
    const endpoint = this.#endpointOf(slot)
    const index = this.#endpointIndexes.get(grant.nodeId)
    if (index !== this.#nodes[slot]) {
      this.#removeFromNode(slot)
      this.#addToNode(slot, grant)
      this.#setCredential(slot, grant)
      return true
    }
    const isNew = endpoint.update(grant)
    const stored = this.#credentialIn(slot)
    const isSame =
      stored.kind === grant.kind &&
      Object.is(stored.expiresAt, grant.expiresAt) &&
      isDeepStrictEqual(stored.limits, grant.limits?.credential)
    if (!isSame) {
      endpoint.delete(slot)
      this.#setCredential(slot, grant)
    }
    return isNew || !isSame
  }

  #setCredential(slot: number, { kind, expiresAt, limits }: Grant): void {
    this.#kinds[slot] = credentialKinds.indexOf(kind)
    this.#expiries[slot] = expiresAt ?? NaN
    if (limits?.credential) this.#limits.set(slot, limits.credential)
    else this.#limits.delete(slot)
  }

  #remove(slot: number): void {
    this.#bySecret.delete(slot)
    this.#byId.delete(slot)
    this.#removeFromNode(slot)
    this.#limits.delete(slot)
    this.#ids[slot] = undefined
    this.#digestOf(slot).fill(0)
    this.#free.push(slot)
    this.size -= 1
  }

  #addToNode(slot: number, grant: Grant): void {
    let index = this.#endpointIndexes.get(grant.nodeId)
    if (index === undefined) {
      index = this.#freeEndpoints.pop() ?? this.#endpoints.length
      this.#endpoints[index] = new EndpointEntry(grant)
      this.#endpointIndexes.set(grant.nodeId, index)
    } else this.#endpoints[index]?.update(grant)
    this.#nodes[slot] = index
    const endpoint = this.#endpointOf(slot)
    this.#slotsBefore[slot] = endpoint.lastSlot
    this.#slotsAfter[slot] = 0
    if (endpoint.lastSlot !== 0) this.#slotsAfter[endpoint.lastSlot - 1] = slot + 1
    endpoint.lastSlot = slot + 1
    endpoint.credentials += 1
  }

  #removeFromNode(slot: number): void {
    const endpoint = this.#endpointOf(slot)
    endpoint.delete(slot)
    const [before, after] = [this.#slotsBefore[slot] ?? 0, this.#slotsAfter[slot] ?? 0]
    if (before !== 0) this.#slotsAfter[before - 1] = after
    if (after !== 0) this.#slotsBefore[after - 1] = before
    else endpoint.lastSlot = before
    endpoint.credentials -= 1
    if (endpoint.credentials > 0) return
    const index = this.#nodes[slot] ?? 0
    this.#endpointIndexes.delete(endpoint.nodeId)
    this.#endpoints[index] = undefined
    this.#freeEndpoints.push(index)
  }

  #grow(): void {
    this.#capacity *= 2
    const copied = <array extends Uint8Array | Uint32Array | Float64Array>(from: array, to: array): array => {
      to.set(from)
      return to
    }
    this.#words = copied(this.#words, new Uint32Array(this.#capacity * digestWords))
    this.#digests = Buffer.from(this.#words.buffer)
    this.#kinds = copied(this.#kinds, new Uint8Array(this.#capacity))
    this.#nodes = copied(this.#nodes, new Uint32Array(this.#capacity))
    this.#slotsBefore = copied(this.#slotsBefore, new Uint32Array(this.#capacity))
    this.#slotsAfter = copied(this.#slotsAfter, new Uint32Array(this.#capacity))
    this.#expiries = copied(this.#expiries, new Float64Array(this.#capacity))
    this.#sweeps = copied(this.#sweeps, new Uint8Array(this.#capacity))
  }
}

// The digest of a lookup. The buffer is shared, because a lookup is synchronous.
const probedWords = new Uint32Array(digestWords)
const probed = Buffer.from(probedWords.buffer)

// FNV-1a with a final mix, because consecutive ids differ only in their last characters.
function hashOfText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash ^ (hash >>> 15)
}
