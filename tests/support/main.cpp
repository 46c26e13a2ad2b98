// The entry of every test program. What a program leaves out it names on its output, one line each.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <ostream>

namespace {

struct names_what_is_left_out final : doctest::IReporter {
    explicit names_what_is_left_out(doctest::ContextOptions const& with) : out(*with.cout) {}

    void test_case_skipped(doctest::TestCaseData const& which) override {
        if (which.m_skip) out << "left out: " << which.m_name << '\n';
    }
    void report_query(doctest::QueryData const&) override {}
    void test_run_start() override {}
    void test_run_end(doctest::TestRunStats const&) override {}
    void test_case_start(doctest::TestCaseData const&) override {}
    void test_case_reenter(doctest::TestCaseData const&) override {}
    void test_case_end(doctest::CurrentTestCaseStats const&) override {}
    void test_case_exception(doctest::TestCaseException const&) override {}
    void subcase_start(doctest::SubcaseSignature const&) override {}
    void subcase_end() override {}
    void log_assert(doctest::AssertData const&) override {}
    void log_message(doctest::MessageData const&) override {}

    std::ostream& out;
};

}  // namespace

REGISTER_LISTENER("names_what_is_left_out", 1, names_what_is_left_out);
