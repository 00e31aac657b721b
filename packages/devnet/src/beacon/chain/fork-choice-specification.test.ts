import { expect, it } from 'vitest'
import { zeroRoot, type CheckpointHex, type ForkChoiceBlock, type Vote } from './fork-choice.ts'
import {
  balance,
  block,
  createTree,
  genesis,
  rootOf,
  slotsPerEpoch,
  validators,
  vote as voteFor,
} from '../../../test/small-tree.ts'

it('selects the same head as the specification in hundreds of random trees', () => {
  for (let seed = 1; seed <= 400; seed++) {
    const random = createRandom(seed)
    const tree = createTree()
    const spec = new SpecStore()
    const names = ['genesis']
    for (let step = 0; step < 30; step++) {
      const now = tree.currentSlot
      const act = random(10)
      if (act < 3) {
        tree.onTick(now + 1)
        spec.onTick(now + 1)
      } else if (act < 7 && now > 0) {
        const parent = names[random(names.length)] ?? 'genesis'
        const parentSlot = spec.block(rootOf(parent)).slot
        if (parentSlot >= now || spec.invalid.has(rootOf(parent))) continue
        const slot = parentSlot + 1 + random(now - parentSlot)
        const name = `${step}-${seed}`
        const checkpoint = (maximum: number): CheckpointHex => {
          const epoch = random(maximum + 1)
          return { epoch, root: spec.ancestorAt(rootOf(parent), epoch * slotsPerEpoch) }
        }
        const epoch = Math.floor(parentSlot / slotsPerEpoch)
        const justified = checkpoint(Math.max(0, epoch - random(2)))
        const newBlock = block(name, parent, slot, {
          justified,
          finalized: checkpoint(Math.min(justified.epoch, random(3) === 0 ? epoch : 0)),
          unrealizedJustified: checkpoint(epoch),
        })
        const timely = random(2) === 0
        names.push(name)
        tree.onBlock(newBlock, timely)
        spec.onBlock(newBlock, timely)
      } else if (act < 9) {
        const name = names[random(names.length)] ?? 'genesis'
        const slot = Math.max(0, now - 1)
        const voters = [random(validators), random(validators)]
        if (spec.block(rootOf(name)).slot > slot) continue
        tree.onAttestation(voters, voteFor(name, slot))
        spec.onAttestation(voters, voteFor(name, slot))
      } else if (random(4) === 0 && names.length > 1) {
        const name = names[1 + random(names.length - 1)] ?? 'genesis'
        tree.setValidity(rootOf(name), 'invalid')
        spec.invalidate(rootOf(name))
      } else {
        tree.onEquivocation([step % validators])
        spec.equivocating.add(step % validators)
      }
      expect(tree.chooseHead(), `seed ${seed}, step ${step}`).toBe(spec.getHead())
    }
  }
})

/** The fork choice exactly as the specification defines it; slow, because it recomputes everything each time. */
class SpecStore {
  readonly blocks = new Map<string, ForkChoiceBlock>([
    [genesis.root, { ...block('genesis', 'none', 0), parentRoot: zeroRoot }],
  ])
  readonly messages = new Map<number, { epoch: number; root: string }>()
  readonly equivocating = new Set<number>()
  readonly invalid = new Set<string>()
  queue: { voters: number[]; vote: Vote }[] = []
  slot = 0
  justified = genesis
  finalized = genesis
  unrealizedJustified = genesis
  unrealizedFinalized = genesis
  boost = zeroRoot

  block(root: string): ForkChoiceBlock {
    const found = this.blocks.get(root)
    if (found === undefined) throw new Error(`no block ${root}`)
    return found
  }

  onTick(slot: number): void {
    this.slot = slot
    this.boost = zeroRoot
    if (slot % slotsPerEpoch === 0) this.update(this.unrealizedJustified, this.unrealizedFinalized)
    for (const { voters, vote } of this.queue.splice(0)) this.onAttestation(voters, vote)
  }

  update(justified: CheckpointHex, finalized: CheckpointHex): void {
    if (justified.epoch > this.justified.epoch) this.justified = justified
    if (finalized.epoch > this.finalized.epoch) this.finalized = finalized
  }

  onBlock(newBlock: ForkChoiceBlock, timely: boolean): void {
    this.blocks.set(newBlock.root, newBlock)
    if (timely && newBlock.slot === this.slot && this.boost === zeroRoot) this.boost = newBlock.root
    this.update(newBlock.justified, newBlock.finalized)
    if (newBlock.unrealizedJustified.epoch > this.unrealizedJustified.epoch) {
      this.unrealizedJustified = newBlock.unrealizedJustified
    }
    if (epochOf(newBlock.slot) < epochOf(this.slot))
      this.update(newBlock.unrealizedJustified, newBlock.unrealizedFinalized)
  }

  onAttestation(voters: number[], vote: Vote): void {
    if (vote.slot >= this.slot) {
      this.queue.push({ voters, vote })
      return
    }
    for (const voter of voters) {
      const latest = this.messages.get(voter)
      if (latest === undefined || vote.targetEpoch > latest.epoch) {
        this.messages.set(voter, { epoch: vote.targetEpoch, root: vote.blockRoot })
      }
    }
  }

  invalidate(root: string): void {
    this.invalid.add(root)
    for (const child of this.blocks.values()) if (child.parentRoot === root) this.invalidate(child.root)
  }

  ancestorAt(root: string, slot: number): string {
    const found = this.block(root)
    return found.slot > slot ? this.ancestorAt(found.parentRoot, slot) : root
  }

  children(root: string): ForkChoiceBlock[] {
    return [...this.blocks.values()].filter(
      (child) => child.parentRoot === root && !this.invalid.has(child.root),
    )
  }

  weight(root: string): number {
    const { slot } = this.block(root)
    let weight = 0
    for (const [voter, message] of this.messages) {
      if (this.equivocating.has(voter) || this.invalid.has(message.root)) continue
      if (this.ancestorAt(message.root, slot) === root) weight += balance
    }
    if (this.boost === zeroRoot || this.invalid.has(this.boost)) return weight
    const committee = Math.floor((validators * balance) / slotsPerEpoch)
    const isBoosted = this.ancestorAt(this.boost, slot) === root
    return isBoosted ? weight + Math.floor((committee * 40) / 100) : weight
  }

  filter(root: string, retained: Set<string>): boolean {
    const children = this.children(root)
    if (children.length > 0) {
      const results = children.map((child) => this.filter(child.root, retained))
      if (!results.includes(true)) return false
      retained.add(root)
      return true
    }
    const leaf = this.block(root)
    const source = epochOf(this.slot) > epochOf(leaf.slot) ? leaf.unrealizedJustified : leaf.justified
    const isJustified =
      this.justified.epoch === 0 ||
      source.epoch === this.justified.epoch ||
      source.epoch + 2 >= epochOf(this.slot)
    const isFinalized =
      this.finalized.epoch === 0 ||
      this.ancestorAt(root, this.finalized.epoch * slotsPerEpoch) === this.finalized.root
    if (!isJustified || !isFinalized) return false
    retained.add(root)
    return true
  }

  getHead(): string {
    const retained = new Set<string>()
    let head = this.justified.root
    if (!this.invalid.has(head)) this.filter(head, retained)
    for (;;) {
      const [best] = this.children(head)
        .filter(({ root }) => retained.has(root))
        .toSorted((a, b) => this.weight(b.root) - this.weight(a.root) || (b.root > a.root ? 1 : -1))
      if (best === undefined) return head
      head = best.root
    }
  }
}

function epochOf(slot: number): number {
  return Math.floor(slot / slotsPerEpoch)
}

/** Creates a generator of whole numbers below a bound, deterministic for each seed (mulberry32). */
function createRandom(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
  }
}
