#include "runtime/comm/tcp/handshake.h"

#include <cerrno>
#include <cstring>

#include <poll.h>

namespace catena {
namespace {

Digest proof_of_caller(const std::string& key, const Challenge& challenge, Hello hello) {
    hello.proof = {};
    std::string said = "calls";
    said.append(bytes_of(challenge)).append(bytes_of(hello));
    return hmac_sha256(key, said);
}

Digest proof_of_called(const std::string& key, const Challenge& challenge, const Hello& hello,
                       Verdict verdict) {
    verdict.proof = {};
    std::string said = "is called";
    said.append(bytes_of(challenge)).append(bytes_of(hello)).append(bytes_of(verdict));
    return hmac_sha256(key, said);
}

}  // namespace

AnsweredCall::AnsweredCall(Socket socket) : socket_(std::move(socket)) {
    challenge_.nonce = random_digest();
    socket_.send_now(&challenge_, sizeof challenge_);
}

bool AnsweredCall::advance(const std::string& key) {
    if (!hello_.advance(socket_)) return false;
    if (hello_.read >= sizeof hello_.message.magic && hello_.message.magic != protocol)
        return false;
    if (!hello_.complete()) return true;
    proved_ = equal(hello_.message.proof, proof_of_caller(key, challenge_, hello_.message));
    if (!proved_) {
        const Verdict verdict{.answer = Answer::wrong_key};
        socket_.send_now(&verdict, sizeof verdict);
    }
    return proved_;
}

Socket AnsweredCall::answer(Answer answer, const std::string& key, const Digest& gift) {
    Verdict verdict{.answer = answer, .gift = gift};
    verdict.proof = proof_of_called(key, challenge_, hello_.message, verdict);
    if (!socket_.send_now(&verdict, sizeof verdict) || answer != Answer::taken) return {};
    return std::move(socket_);
}

OutgoingCall::OutgoingCall(Socket socket, const Identity& own, std::string key)
    : socket_(std::move(socket)), key_(std::move(key)) {
    hello_.caller = own;
}

short OutgoingCall::events() const { return connected_ ? POLLIN : POLLOUT; }

OutgoingCall::State OutgoingCall::advance() {
    if (!connected_) {
        const int error = socket_.error_of_connecting();
        if (error == EINPROGRESS) return State::open;
        if (error != 0) problem_ = std::strerror(error);
        if (error == ECONNREFUSED) return State::unheard;
        if (error != 0) return State::broken;
        connected_ = true;
    }
    if (!introduced_) {
        if (!challenge_.advance(socket_)) return State::broken;
        return challenge_.complete() ? introduce() : State::open;
    }
    if (!verdict_.advance(socket_)) return State::broken;
    return verdict_.complete() ? judge() : State::open;
}

OutgoingCall::State OutgoingCall::introduce() {
    if (challenge_.message.magic != protocol) {
        problem_ = "another program listens there, or another version of Catena";
        return State::unproved;
    }
    hello_.nonce = random_digest();
    hello_.proof = proof_of_caller(key_, challenge_.message, hello_);
    introduced_ = socket_.send_now(&hello_, sizeof hello_);
    return introduced_ ? State::open : State::broken;
}

OutgoingCall::State OutgoingCall::judge() const {
    const Verdict& verdict = verdict_.message;
    if (!equal(verdict.proof, proof_of_called(key_, challenge_.message, hello_, verdict)))
        return State::unproved;
    return verdict.answer == Answer::taken ? State::taken : State::refused;
}

OutgoingCall::State OutgoingCall::wait(Deadline deadline) {
    State state = advance();
    while (state == State::open && wait_for(socket_.file(), events(), deadline)) state = advance();
    return state;
}

}  // namespace catena
