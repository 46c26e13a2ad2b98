// The cache of names, and the questions that are on their way.
#include "rill/io/resolver.hpp"

#include <algorithm>
#include <list>
#include <unordered_map>

#include "rill/rt/core.hpp"
#include "rt/driver.hpp"

namespace rill {

namespace {

constexpr std::size_t longest_name = 253;  // RFC 1035 section 2.3.4, as text without the last dot

char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}
bool may_stand_in_names(char c) noexcept {
    return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '_';
}

/// In lower case and without a dot at the end, so that one name has one entry.
std::string normal_form(std::string_view host) {
    if (host.size() > 1 && host.back() == '.') host.remove_suffix(1);
    std::string name(host);
    std::transform(name.begin(), name.end(), name.begin(), lower);
    return name;
}

/// True for what getaddrinfo may take for an address: its last label is a number.
bool ends_in_number(std::string_view name) noexcept {
    std::string_view const last = name.substr(name.rfind('.') + 1);
    if (std::all_of(last.begin(), last.end(), is_digit)) return true;
    return last.starts_with("0x");
}

bool is_name(std::string_view name) noexcept {
    return !name.empty() && name.size() <= longest_name && name.front() != '.' &&
           name.find("..") == std::string_view::npos &&
           std::all_of(name.begin(), name.end(), may_stand_in_names) && !ends_in_number(name);
}

bool is_localhost(std::string_view name) noexcept {
    return name == "localhost" || name.ends_with(".localhost");
}

/// An address as text, with or without brackets.
std::optional<address> literal(std::string_view host, std::uint16_t port) {
    std::string text(host);
    if (text.find(':') != std::string::npos && !text.starts_with('[')) text = "[" + text + "]";
    auto const parsed = address::parse(text + ":0");
    if (!parsed || host.empty() || is_localhost(host)) return std::nullopt;
    return parsed->with_port(port);
}

}  // namespace

namespace detail {

/// A name that somebody asks for or that the cache knows.
class resolver_entry final : public name_query {
public:
    enum class state : std::uint8_t { waits_to_ask, asking, known };

    resolver_entry(resolver_state& of, std::string host) noexcept
        : name_query(std::move(host)), of_(of) {}
    void answered(result<std::vector<address>> found) noexcept override;

    state where = state::waits_to_ask;
    result<std::vector<address>> found = errc::names_failed;
    time_point until = never;  // of what is known
    wait_list<look_up_operation> waiting;
    std::list<resolver_entry*>::iterator place;  // in line, or by the age of the answer

private:
    resolver_state& of_;
};

class resolver_state {
public:
    resolver_state(core& home, resolver_options const& with) : home_(home) { configure(with); }
    ~resolver_state() {
        for (auto& [host, entry] : entries_) {
            if (entry.where == resolver_entry::state::asking) home_.io().forget(entry);
        }
    }

    void configure(resolver_options const& with) noexcept {
        options_ = with;
        options_.most_questions = std::max(with.most_questions, 1U);
        drop_oldest();
        ask_next();
    }

    /// The answer where it is known, or null: then `who` waits.
    [[nodiscard]] result<std::vector<address>> const* begin(look_up_operation& who) {
        auto const at = entries_.try_emplace(who.host_, *this, who.host_).first;
        resolver_entry& entry = at->second;
        if (entry.where == resolver_entry::state::known) {
            if (entry.until > home_.now()) {
                ++counts_.answered;
                return &entry.found;
            }
            known_.erase(entry.place);
            entry.where = resolver_entry::state::waits_to_ask;
            put_in_line(entry);
        } else if (entry.waiting.empty() && entry.where == resolver_entry::state::waits_to_ask) {
            put_in_line(entry);
        }
        who.entry_ = &entry;
        entry.waiting.push_back(who);
        ask_next();
        return nullptr;
    }

    void leave(look_up_operation& who) noexcept {
        resolver_entry& entry = *std::exchange(who.entry_, nullptr);
        entry.waiting.remove(who);
        if (!entry.waiting.empty() || entry.where != resolver_entry::state::waits_to_ask) return;
        line_.erase(entry.place);  // nobody wants to know any more
        entries_.erase(entry.host());
    }

    void answered(resolver_entry& entry, result<std::vector<address>> found) noexcept {
        --asking_;
        bool const lasting = found || found.error() == errc::no_such_name;
        duration const keep = !lasting ? duration::zero()
                              : found  ? options_.keep
                                       : options_.keep_missing;
        entry.found = std::move(found);
        entry.where = resolver_entry::state::known;
        entry.until = later(home_.now(), keep);
        while (!entry.waiting.empty()) {
            look_up_operation& who = entry.waiting.pop_front();
            who.entry_ = nullptr;
            who.arrived(entry.found);
        }
        entry.place = known_.insert(known_.end(), &entry);
        if (keep <= duration::zero()) drop(entry);
        drop_oldest();
        ask_next();
    }

    void forget() noexcept {
        while (!known_.empty()) drop(*known_.front());
    }

    [[nodiscard]] core& home() const noexcept { return home_; }
    [[nodiscard]] resolver::totals now() const noexcept {
        resolver::totals totals = counts_;
        totals.names = known_.size();
        totals.questions = asking_;
        totals.waiting = line_.size();
        return totals;
    }

private:
    void put_in_line(resolver_entry& entry) { entry.place = line_.insert(line_.end(), &entry); }

    void ask_next() noexcept {
        while (asking_ < options_.most_questions && !line_.empty()) {
            resolver_entry& entry = *line_.front();
            line_.pop_front();
            entry.where = resolver_entry::state::asking;
            ++asking_;
            ++counts_.asked;
            home_.io().look_up(entry);
        }
    }

    void drop(resolver_entry& entry) noexcept {
        known_.erase(entry.place);
        entries_.erase(entry.host());
    }
    void drop_oldest() noexcept {
        while (known_.size() > options_.cache_names) drop(*known_.front());
    }

    core& home_;
    resolver_options options_;
    // Each entry is in line, being asked for, or known; in the first case somebody waits for it.
    std::unordered_map<std::string, resolver_entry> entries_;
    std::list<resolver_entry*> line_;
    std::list<resolver_entry*> known_;  // the oldest answer first
    std::size_t asking_ = 0;
    resolver::totals counts_;
};

void resolver_entry::answered(result<std::vector<address>> what) noexcept {
    of_.answered(*this, std::move(what));
}

}  // namespace detail

look_up_operation::look_up_operation(resolver& with, std::string_view host, std::uint16_t port,
                                     time_point deadline)
    : with_(*with.state_),
      host_(normal_form(host)),
      deadline_(deadline),
      port_(port),
      timer_(*this) {}

look_up_operation::~look_up_operation() = default;

bool look_up_operation::start() noexcept {
    if (auto const known = literal(host_, port_)) {
        set_result(std::vector{*known});
        return false;
    }
    if (is_localhost(host_)) {
        std::array<std::uint8_t, 16> six{};
        six.back() = 1;
        set_result(std::vector{address::v6(six, port_), address::v4({127, 0, 0, 1}, port_)});
        return false;
    }
    if (!is_name(host_)) {
        set_result(errc::bad_address);
        return false;
    }
    if (auto const* const known = with_.begin(*this)) {
        give(*known);
        return false;
    }
    if (deadline_ != never) with_.home().timers().arm(timer_, deadline_);
    return true;
}

void look_up_operation::give(result<std::vector<address>> const& found) noexcept {
    if (found) {
        std::vector<address> list = *found;
        for (address& each : list) each = each.with_port(port_);
        set_result(std::move(list));
    } else {
        set_result(found.error());
    }
}

void look_up_operation::arrived(result<std::vector<address>> const& found) noexcept {
    if (timer_.armed()) with_.home().timers().cancel(timer_);
    give(found);
    complete();
}

void look_up_operation::give_up(std::error_code why) noexcept {
    with_.leave(*this);
    if (timer_.armed()) with_.home().timers().cancel(timer_);
    set_result(why);
    complete();
}

void look_up_operation::cancel(cancel_reason) noexcept {
    give_up(errc::cancelled);
}

void look_up_operation::throw_error(std::error_code code) const {
    bool const shape = code == errc::bad_address;
    throw error(code, "look up", host_,
                shape ? "a name has letters, digits, '-', '_' and dots; at most 253" : "");
}

namespace {

/// The resolver of a core.
class core_resolver final : public core::service {
public:
    resolver names;
};

}  // namespace

resolver::resolver(resolver_options with)
    : state_(std::make_unique<detail::resolver_state>(core::current(), with)) {}

resolver::~resolver() = default;

resolver& resolver::of_core() {
    return core::current().service_of<core_resolver>().names;
}

void resolver::forget() noexcept {
    state_->forget();
}

void resolver::configure(resolver_options const& with) noexcept {
    state_->configure(with);
}

resolver::totals resolver::now() const noexcept {
    return state_->now();
}

}  // namespace rill
