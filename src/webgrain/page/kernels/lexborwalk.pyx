# cython: language_level=3, boundscheck=False, wraparound=False
"""The columns of a tree straight from Lexbor's nodes, by the functions that selectolax's library exports.

Same columns as `webgrain.page.kernels.domwalk.walk`, without a Python object per node. No layout of a struct is known
here: nodes are pointers that are only handed to Lexbor's own functions. There is nothing to run uncompiled; who
uses it checks first that the library is one that was tried (`webgrain.page.parsing`).
"""

import ctypes

import numpy as np

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from libc.string cimport memcpy

cdef enum:
    ELEMENT = 1
    TEXT = 3
    SLOTS = 256

ctypedef int (*Kind)(void*) noexcept nogil
ctypedef void* (*Step)(void*) noexcept nogil
ctypedef const char* (*Read)(void*, size_t*) noexcept nogil
ctypedef void (*Release)(void*, const char*) noexcept nogil


cdef size_t _address(library, str name) except 0:
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value


cdef class Column:
    """Bytes or ints that are appended to."""

    cdef char* data
    cdef Py_ssize_t size
    cdef Py_ssize_t room

    def __dealloc__(self):
        PyMem_Free(self.data)

    cdef inline int reserve(self, Py_ssize_t more) except -1:
        if self.size + more > self.room:
            room = 2 * (self.size + more) + 1024
            data = <char*> PyMem_Realloc(self.data, room)
            if data == NULL:
                raise MemoryError
            self.data, self.room = data, room
        return 0

    cdef inline int add(self, int value) except -1:
        self.reserve(sizeof(int))
        (<int*> (self.data + self.size))[0] = value
        self.size += sizeof(int)
        return 0

    cdef inline Py_ssize_t extend(self, const char* data, Py_ssize_t size) except -1:
        """Append UTF-8 and return its number of characters: of its bytes that continue none."""
        cdef Py_ssize_t i, chars = 0
        self.reserve(size)
        memcpy(self.data + self.size, data, size)
        self.size += size
        for i in range(size):
            chars += (data[i] & 0xC0) != 0x80
        return chars

    cdef inline int* ints(self) noexcept:
        return <int*> self.data

    cdef bytes bytes(self):
        return PyBytes_FromStringAndSize(self.data, self.size)

    cdef freeze(self):
        return np.frombuffer(self.bytes(), np.int32)


cdef class Names:
    """Numbers of names. Lexbor keeps one copy of a name, so that its address is looked up first."""

    cdef const char* known[SLOTS]
    cdef int number_of[SLOTS]
    cdef dict numbers

    def __cinit__(self, *names):
        self.numbers = {name: number for number, name in enumerate(names)}

    cdef int number(self, const char* name, size_t length) except -1:
        cdef size_t slot = (<size_t> name >> 4) % SLOTS
        if self.known[slot] != name:
            # Names that differ in ASCII case alone share a number, as in SVG's ``viewBox``.
            lower = name[:length].lower().decode("utf-8", "replace")
            self.number_of[slot] = self.numbers.setdefault(lower, len(self.numbers))
            self.known[slot] = name
        return self.number_of[slot]


cdef class Walker:
    """Lexbor's functions, found once in the library that selectolax is compiled into."""

    cdef Kind kind
    cdef Step first_child, following, above, first_attribute, next_attribute
    cdef Read tag_name, attribute_name, attribute_value, content
    cdef Release release

    def __init__(self, str path):
        """Find the functions; AttributeError where the library lacks one, OSError where there is none."""
        library = ctypes.CDLL(path)
        self.kind = <Kind> _address(library, "lxb_dom_node_type_noi")
        self.first_child = <Step> _address(library, "lxb_dom_node_first_child_noi")
        self.following = <Step> _address(library, "lxb_dom_node_next_noi")
        self.above = <Step> _address(library, "lxb_dom_node_parent_noi")
        self.first_attribute = <Step> _address(library, "lxb_dom_element_first_attribute_noi")
        self.next_attribute = <Step> _address(library, "lxb_dom_element_next_attribute_noi")
        self.tag_name = <Read> _address(library, "lxb_dom_element_qualified_name")
        self.attribute_name = <Read> _address(library, "lxb_dom_attr_qualified_name")
        self.attribute_value = <Read> _address(library, "lxb_dom_attr_value_noi")
        self.content = <Read> _address(library, "lxb_dom_node_text_content")
        self.release = <Release> _address(library, "lxb_dom_document_destroy_text_noi")

    def __call__(self, root, Py_ssize_t max_nodes, Py_ssize_t max_chars):
        """Return what `webgrain.page.kernels.domwalk.walk` returns for the same arguments.

        UnicodeDecodeError where the nodes hold bytes that are no UTF-8: the parser was given some.
        """
        return Tree(self, root.mem_id).read(max_nodes, max_chars)


cdef class Tree:
    """A tree being read: its columns up to node ``n``, their characters and attributes so far."""

    cdef Walker lexbor
    cdef void* root
    cdef void* document
    cdef Column parent, end, tag, text_start, attr_start, attr_name, value_start, text, values
    cdef Names tags, names
    cdef Py_ssize_t n, m, chars, value_chars

    def __cinit__(self, Walker lexbor, size_t root):
        self.lexbor, self.root = lexbor, <void*> root
        self.document = lexbor.above(<void*> root)
        self.tags, self.names = Names("#text"), Names()
        self.parent, self.end, self.tag, self.text_start = Column(), Column(), Column(), Column()
        self.attr_start, self.attr_name, self.value_start = Column(), Column(), Column()
        self.text, self.values = Column(), Column()

    cdef tuple read(self, Py_ssize_t max_nodes, Py_ssize_t max_chars):
        cdef Walker lexbor = self.lexbor
        cdef void* node = self.root
        cdef void* other
        cdef int kind, above = -1
        cdef bint cut = False
        while True:
            kind = lexbor.kind(node)
            other = NULL
            if kind == ELEMENT or kind == TEXT:
                cut = self.n >= max_nodes or max(self.chars, self.value_chars) > max_chars
                if cut:
                    break
                self.add(node, kind, above)
                other = lexbor.first_child(node)
            if other != NULL:
                above = self.n - 1
                node = other
                continue
            while node != self.root:
                other = lexbor.following(node)
                if other != NULL:
                    break
                node = lexbor.above(node)
                above = self.close(above)
            if node == self.root:
                break
            node = other
        while above >= 0:  # of a walk that was cut short
            above = self.close(above)
        return self.columns(cut)

    cdef inline int close(self, int node) noexcept:
        self.end.ints()[node] = self.n
        return self.parent.ints()[node]

    cdef int add(self, void* node, int kind, int above) except -1:
        self.parent.add(above)
        self.end.add(self.n + 1)
        self.text_start.add(self.chars)
        self.attr_start.add(self.m)
        self.n += 1
        return self.add_text(node) if kind == TEXT else self.add_element(node)

    cdef int add_text(self, void* node) except -1:
        cdef size_t length = 0
        cdef const char* data = self.lexbor.content(node, &length)
        self.tag.add(0)
        if data != NULL:
            self.chars += self.text.extend(data, length)
            self.lexbor.release(self.document, data)
        return 0

    cdef int add_element(self, void* node) except -1:
        cdef size_t length = 0
        cdef const char* data = self.lexbor.tag_name(node, &length)
        cdef void* attribute = self.lexbor.first_attribute(node)
        self.tag.add(self.tags.number(data, length))
        while attribute != NULL:
            data = self.lexbor.attribute_name(attribute, &length)
            self.attr_name.add(self.names.number(data, length))
            self.value_start.add(self.value_chars)
            data = self.lexbor.attribute_value(attribute, &length)
            if data != NULL:
                self.value_chars += self.values.extend(data, length)
            self.m += 1
            attribute = self.lexbor.next_attribute(attribute)
        return 0

    cdef tuple columns(self, bint cut):
        self.text_start.add(self.chars)
        self.attr_start.add(self.m)
        self.value_start.add(self.value_chars)
        # Strictly: only then the characters counted above are those of the string.
        text, values = self.text.bytes().decode(), self.values.bytes().decode()
        columns = (
            self.parent.freeze(), self.end.freeze(), self.tag.freeze(), tuple(self.tags.numbers),
            text, self.text_start.freeze(),
            self.attr_start.freeze(), self.attr_name.freeze(), tuple(self.names.numbers),
            values, self.value_start.freeze(),
        )
        return columns, cut
