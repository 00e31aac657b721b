/** An element of a {@link LinkedRing}. */
export interface Linked<element> {
  next: element | undefined
  previous: element | undefined
}

/** A circular list. Adding, removing and moving an element takes constant time and allocates nothing. */
export class LinkedRing<element extends Linked<element>> {
  first: element | undefined

  append(element: element): void {
    const { first } = this
    if (first === undefined) {
      element.next = element.previous = element
      this.first = element
      return
    }
    const last = first.previous as element
    element.next = first
    element.previous = last
    last.next = element
    first.previous = element
  }

  remove(element: element): void {
    const { next, previous } = element as { next: element; previous: element }
    if (next === element) this.first = undefined
    else {
      previous.next = next
      next.previous = previous
      if (this.first === element) this.first = next
    }
    element.next = element.previous = undefined
  }

  moveToEnd(element: element): void {
    if (this.first === element) this.first = element.next
    else {
      this.remove(element)
      this.append(element)
    }
  }

  *[Symbol.iterator](): Generator<element, undefined> {
    const { first } = this
    for (let element = first; element; element = element.next === first ? undefined : element.next)
      yield element
    return undefined
  }
}
