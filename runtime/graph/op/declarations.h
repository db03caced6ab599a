#pragma once

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace catena {

/// One thing that an op declares (OpDef::declared), as functions of runtime/ops/declare make it.
class Declaration {
public:
    /// What it declares, for messages.
    const char* name() const { return name_; }

private:
    template <class T>
    friend class DeclarationKind;
    friend class Declarations;
    Declaration(const void* kind, const char* name, std::shared_ptr<const void> value)
        : kind_(kind), name_(name), value_(std::move(value)) {}

    const void* kind_;
    const char* name_;
    std::shared_ptr<const void> value_;
};

/// All that an op declares, at most one of each kind. A part of the op's definition: once the op is
/// registered it stays as it is, so any thread asks without a lock.
class Declarations {
public:
    Declarations() = default;
    /// A list of these declarations.
    Declarations(std::initializer_list<Declaration> all) : all_(all) {}

    /// Adds a declaration.
    void add(Declaration declaration) { all_.push_back(std::move(declaration)); }
    /// The first that an earlier one is of the same kind as; null if there is none.
    const Declaration* repeated() const;

private:
    template <class T>
    friend class DeclarationKind;
    const void* find(const void* kind) const {
        // They are few, up to eight or so: no index finds one sooner.
        for (const Declaration& each : all_)
            if (each.kind_ == kind) return each.value_.get();
        return nullptr;
    }

    std::vector<Declaration> all_;
};

/// A kind of declaration whose value is a T; without T there is nothing to say but that it holds.
/// It is told from others by its address: one constant, in the file with the function that makes
/// such a declaration and the one that asks for it.
template <class T = bool>
class DeclarationKind {
public:
    /// A kind of that name.
    constexpr explicit DeclarationKind(const char* name) : name_(name) {}
    DeclarationKind(const DeclarationKind&) = delete;
    DeclarationKind& operator=(const DeclarationKind&) = delete;

    /// A declaration of this kind.
    Declaration operator()(T value = T()) const {
        return Declaration(this, name_, std::make_shared<const T>(std::move(value)));
    }
    /// The value declared; null without a declaration.
    const T* in(const Declarations& declared) const {
        return static_cast<const T*>(declared.find(this));
    }

private:
    const char* name_;
};

}  // namespace catena
